import { manualClock, seededRandom } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { backoff, queueHarness, type Fate } from '../test/queue-harness.ts';
import { createWorkQueue } from './work-queue.ts';

const done: Fate = { ms: 0, ends: 'done', afterMs: 0 };
const times = (runs: readonly { at: number }[]): number[] => runs.map(({ at }) => at);

test('keys run in the order in which they were added, and one that is added during its run goes to the end of the line', async (t) => {
  const { clock, queue, runs } = queueHarness({ concurrency: 1, fates: [{ ...done, ms: 100 }] });
  for (const key of ['a', 'b', 'c', 'a', 'b']) queue.add(key);
  await clock.advance(1_000);
  t.deepEqual(
    runs.map(({ key }) => key),
    ['a', 'b', 'c', 'a'],
  );
});

test('a run that wants another one gets it, unless somebody adds the key before', async (t) => {
  const again: Fate = { ms: 0, ends: 'again', afterMs: 3_000 };
  const { clock, queue, runs } = queueHarness({ fates: [again, again, done] });
  queue.add('a');
  await clock.advance(1_000);
  queue.add('a');
  await clock.advance(10_000);
  t.deepEqual(times(runs), [0, 1_000, 4_000]);
});

test('a run that wants another one at once, for ever, leaves time for the rest', async (t) => {
  const again: Fate = { ms: 0, ends: 'again', afterMs: 0 };
  const { clock, queue, runs } = queueHarness({ fates: Array.from({ length: 1_000 }, () => again) });
  queue.add('a');
  await clock.advance(1_000);
  t.is(runs.length, 11);
});

test('a run that wants another one in weeks gets it, and no timer is longer than a system takes', async (t) => {
  const far: Fate = { ms: 0, ends: 'again', afterMs: 40 * 86_400_000 };
  const { clock, queue, runs } = queueHarness({ fates: [far, done] });
  const timers: number[] = [];
  const after = clock.after.bind(clock);
  clock.after = (ms, task, ref) => {
    timers.push(ms);
    return after(ms, task, ref);
  };
  queue.add('a');
  await clock.advance(far.afterMs);
  t.true(runs.length >= 2);
  t.true(timers.every((ms) => ms < 2 ** 31));
});

test('nothing runs before the queue is opened, and then all that was added', async (t) => {
  const clock = manualClock();
  const seen: string[] = [];
  const queue = createWorkQueue({
    clock,
    random: seededRandom(1),
    concurrency: 2,
    backoff,
    run: async (key) => {
      seen.push(key);
      return { kind: 'done' };
    },
  });
  for (const key of ['a', 'b', 'a']) queue.add(key);
  await clock.advance(60_000);
  t.deepEqual(seen, []);
  queue.open();
  await clock.advance(0);
  t.deepEqual(seen, ['a', 'b']);
});

test('an error that asks for a longer wait gets it', async (t) => {
  const { clock, queue, runs } = queueHarness({ fates: [{ ms: 0, ends: 'throttled', afterMs: 30_000 }] });
  queue.add('a');
  await clock.advance(100_000);
  t.deepEqual(times(runs), [0, 30_000]);
});

test('what somebody adds runs at once also when its key waits after a failure', async (t) => {
  const { clock, queue, runs } = queueHarness({ fates: [{ ms: 0, ends: 'fails', afterMs: 0 }] });
  queue.add('a');
  await clock.advance(10);
  queue.add('a');
  await clock.advance(100_000);
  t.deepEqual(times(runs), [0, 10]);
});

test('how many wait is told', async (t) => {
  const clock = manualClock();
  const depths: number[] = [];
  const queue = createWorkQueue({
    clock,
    random: seededRandom(1),
    concurrency: 1,
    backoff,
    run: async () => {
      await clock.sleep(10);
      return { kind: 'done' };
    },
    onDepth: (waiting) => depths.push(waiting),
  });
  queue.open();
  for (const key of ['a', 'b', 'c']) queue.add(key);
  await clock.advance(100);
  t.deepEqual(depths, [0, 0, 1, 2, 1, 0, 0]);
});
