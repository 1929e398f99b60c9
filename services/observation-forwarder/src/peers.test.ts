import { manualClock, seededRandom } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createPeers } from './peers.ts';
import { memorySpace } from '@ranger-relay/kv/testing';

const two = () => {
  const clock = manualClock();
  const state = memorySpace(clock);
  const heard: string[] = [];
  let failing = true;
  const peer = (seed: number) =>
    createPeers({
      state,
      clock,
      random: seededRandom(seed),
      tracker: { isAnyFailing: () => failing, succeededElsewhere: (id) => heard.push(id) },
      onRecovered: () => heard.push('recovered'),
    });
  return { clock, state, heard, here: peer(1), there: peer(2), end: () => (failing = false) };
};

test('what succeeds in another process is heard while something fails here, and what succeeded before is no news', async (t) => {
  const { clock, heard, here, there } = two();
  there.succeeded('a', false);
  here.failed();
  await clock.advance(2_000);
  t.deepEqual(heard, []);
  there.succeeded('b', true);
  here.succeeded('c', false);
  await clock.advance(4_000);
  t.deepEqual(heard.toSorted(), ['b', 'recovered']);
});

test('nothing is asked of the store while nothing fails', async (t) => {
  const { clock, here, end } = two();
  here.failed();
  end();
  await clock.advance(20_000);
  t.is(clock.pending(), 0);
});

test('a store that is away is asked again', async (t) => {
  const { clock, state, heard, here, there } = two();
  here.failed();
  await clock.advance(2_000);
  state.away = true;
  await clock.advance(20_000);
  state.away = false;
  there.succeeded('b', false);
  await clock.advance(30_000);
  t.deepEqual(heard, ['b']);
});
