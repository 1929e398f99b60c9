import { manualClock, testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { epochKey, epochOf, epochTime, keepEpoch } from './epoch.ts';
import { memorySpace } from './testing/memory-space.ts';

const harness = () => {
  const clock = manualClock();
  const state = memorySpace(clock);
  const run = { generation: 1 };
  const keep = () => keepEpoch(testContext({ clock }), { state, generation: () => run.generation });
  const since = async (): Promise<number> => epochTime(await state.get(epochKey));
  return { clock, state, run, keep, since };
};

test('the epoch begins with the first process, and stays while the store keeps its word', async (t) => {
  const { clock, keep, since } = harness();
  await keep();
  const first = clock.now();
  await clock.advance(60_000);
  await keep();
  t.is(await since(), first);
});

test('after a fail-over the memory of the store begins anew, as soon as the store takes it', async (t) => {
  const { clock, state, run, keep, since } = harness();
  await keep();
  await clock.advance(60_000);
  run.generation += 1;
  state.away = true;
  await clock.advance(10_000);
  state.away = false;
  await clock.advance(1_000);
  t.is(await since(), clock.now());
  const now = clock.now();
  await clock.advance(60_000);
  t.is(await since(), now);
});

test('without a time that can be read nothing is remembered', (t) => {
  t.is(epochTime(epochOf(1_000)), 1_000);
  for (const epoch of [null, undefined, '', 'an-old-token', '1000/x']) t.is(epochTime(epoch), Infinity);
});
