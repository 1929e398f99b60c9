import { manualClock, seededRandom } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { backoff, queueHarness, type Fate } from '../test/queue-harness.ts';
import { createWorkQueue } from './work-queue.ts';

const done: Fate = { ms: 0, ends: 'done', afterMs: 0 };
const times = (runs: readonly { at: number }[]): number[] => runs.map(({ at }) => at);

test('keys run in the order in which they came due, and one that is added during its run goes to the end of the line', async (t) => {
  const { clock, queue, runs } = queueHarness({ concurrency: 1, fates: [{ ...done, ms: 100 }] });
  queue.addAfter('d', 50);
  for (const key of ['a', 'b', 'c', 'a', 'b']) queue.add(key);
  await clock.advance(1_000);
  t.deepEqual(
    runs.map(({ key }) => key),
    ['a', 'b', 'c', 'd', 'a'],
  );
});

test('a wish for now takes the place of a later one', async (t) => {
  const { clock, queue, runs } = queueHarness();
  queue.addAfter('a', 5_000);
  queue.add('a');
  await clock.advance(10_000);
  t.deepEqual(times(runs), [0]);
  t.is(clock.pending(), 0);
});

test('a later wish does not put off an earlier one', async (t) => {
  const { clock, queue, runs } = queueHarness();
  queue.addAfter('a', 1_000);
  queue.addAfter('a', 5_000);
  queue.addAfter('b', 5_000);
  queue.addAfter('b', 1_000);
  await clock.advance(10_000);
  t.deepEqual(times(runs), [1_000, 1_000]);
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

test('a wish for a time that is far away is fulfilled then, and one for no time at all is a failure', async (t) => {
  const far: Fate = { ms: 0, ends: 'again', afterMs: 40 * 86_400_000 };
  const { clock, queue, runs } = queueHarness({ fates: [far, { ms: 0, ends: 'again', afterMs: Number.NaN }, done] });
  const timers: number[] = [];
  const after = clock.after.bind(clock);
  clock.after = (ms, task, ref) => {
    timers.push(ms);
    return after(ms, task, ref);
  };
  queue.add('a');
  await clock.advance(far.afterMs);
  await clock.advance(2_000);
  t.is(runs.length, 3);
  t.is(runs[1]?.at, far.afterMs);
  t.true(timers.every((ms) => ms < 2 ** 31));
});

test('a wish that comes due while the key runs is fulfilled when the run ends', async (t) => {
  const { clock, queue, runs } = queueHarness({ fates: [{ ...done, ms: 4_000 }] });
  queue.add('a');
  queue.addAfter('a', 1_000);
  await clock.advance(10_000);
  t.deepEqual(times(runs), [0, 4_000]);
});

test('a wish that comes due while nothing may run is fulfilled when something may', async (t) => {
  const { clock, queue, runs } = queueHarness({ concurrency: 1, fates: [{ ...done, ms: 4_000 }] });
  queue.add('a');
  queue.addAfter('b', 1_000);
  await clock.advance(10_000);
  t.deepEqual(times(runs), [0, 4_000]);
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

test('runs are told when a drain has lasted too long, or the queue is aborted', async (t) => {
  for (const how of ['drain', 'abort'] as const) {
    const clock = manualClock();
    const told: string[] = [];
    const queue = createWorkQueue({
      clock,
      random: seededRandom(1),
      concurrency: 2,
      backoff,
      run: (key, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            told.push(key);
            reject(signal.reason as Error);
          });
        }),
    });
    for (const key of ['a', 'b', 'c']) queue.add(key);
    const before = clock.monotonic();
    if (how === 'abort') queue.abort();
    else void queue.drain(5_000);
    await clock.advance(how === 'abort' ? 0 : 5_000);
    t.deepEqual(told, ['a', 'b'], how);
    await queue.settled();
    t.is(await queue.drain(1), how === 'abort' ? 0 : 2);
    t.true(clock.monotonic() - before <= 5_000);
  }
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
  for (const key of ['a', 'b', 'c']) queue.add(key);
  await clock.advance(100);
  t.deepEqual(depths, [0, 1, 2, 1, 0, 0]);
});
