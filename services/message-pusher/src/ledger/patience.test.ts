import { RelayError } from '@ranger-relay/errors';
import { manualClock, seededRandom } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { memorySpace } from '../test/memory-kv.ts';
import { createPatience } from './patience.ts';

const setUp = () => {
  const clock = manualClock();
  const state = memorySpace(clock);
  return { clock, state, patiently: createPatience(state, { clock, random: seededRandom(1) }) };
};

test('what works at once costs one try', async (t) => {
  const { state, patiently } = setUp();
  t.is(await patiently(async (store) => (await store.get('a')) ?? 'none'), 'none');
  t.is(state.counts.get('get'), 1);
});

test('a store that comes back in time is waited for', async (t) => {
  const { clock, state, patiently } = setUp();
  state.away = true;
  const running = patiently((store) => store.setIfAbsent('a', '1'));
  await clock.advance(5_000);
  state.away = false;
  await clock.advance(10_000);
  t.true(await running);
});

test('a store that stays away is asked five times within 30 s', async (t) => {
  const { clock, state, patiently } = setUp();
  state.away = true;
  const running = patiently((store) => store.get('a'));
  await clock.advance(30_000);
  t.is(await running, undefined);
  t.is(state.counts.get('get'), 5);
});

test('after that each step asks once, and full patience is back with the store', async (t) => {
  const { clock, state, patiently } = setUp();
  state.away = true;
  void patiently((store) => store.get('a'));
  await clock.advance(30_000);
  state.counts.clear();
  t.is(await patiently((store) => store.get('a')), undefined);
  t.is(state.counts.get('get'), 1);
  state.away = false;
  t.is(await patiently((store) => store.get('a')), null);
  state.away = true;
  state.counts.clear();
  void patiently((store) => store.get('a'));
  await clock.advance(30_000);
  t.is(state.counts.get('get'), 5);
});

test('an error that is not the store’s absence is not waited for', async (t) => {
  const { patiently } = setUp();
  await t.throwsAsync(
    patiently(() => Promise.reject(new RelayError('internal'))),
    { instanceOf: RelayError },
  );
});
