import test from 'ava';
import { manualClock, seededRandom } from '@ranger-relay/runtime/testing';
import { createFailures } from './failures.ts';
import { failure } from './test/world.ts';

const failures = () => {
  const clock = manualClock();
  return { clock, tracked: createFailures(clock, seededRandom(1), 10_000) };
};

test('waits double from one second to one minute', async (t) => {
  const { clock, tracked } = failures();
  const waits: number[] = [];
  for (let n = 0; n < 9; n += 1) {
    const { afterMs } = tracked.failed('a', failure.outage());
    waits.push(afterMs);
    await clock.advance(afterMs);
  }
  waits.slice(0, 6).forEach((wait, n) => t.true(wait >= 1_000 * 2 ** n && wait <= 1_000 * 2 ** n + 500));
  t.deepEqual(waits.slice(6), [60_000, 60_000, 60_000]);
});

test('a refused key waits half a minute to ten minutes', async (t) => {
  const { clock, tracked } = failures();
  const waits: number[] = [];
  for (let n = 0; n < 7; n += 1) {
    const { afterMs } = tracked.failed('a', failure.keyRefused());
    waits.push(afterMs);
    await clock.advance(afterMs);
  }
  t.true((waits[0] ?? 0) >= 30_000);
  t.is(waits.at(-1), 600_000);
});

test('failures of several lanes in one waiting time count once', (t) => {
  const { tracked } = failures();
  const first = tracked.failed('a', failure.outage());
  for (let lane = 0; lane < 12; lane += 1) t.deepEqual(tracked.failed('a', failure.outage()), first);
});

test('a success ends the wait of the integration and of those that the same outage held', (t) => {
  const { tracked } = failures();
  for (const id of ['a', 'b', 'c']) tracked.failed(id, id === 'c' ? failure.keyRefused() : failure.outage());
  t.deepEqual(tracked.succeeded('a'), ['a', 'b']);
  t.is(tracked.waiting('a'), undefined);
  t.is(tracked.waiting('b'), undefined);
  t.truthy(tracked.waiting('c'));
  t.deepEqual(tracked.succeeded('a'), []);
});

test('successes of the failing integration itself prove nothing about others', async (t) => {
  const { clock, tracked } = failures();
  tracked.succeeded('a');
  tracked.failed('a', failure.keyRefused());
  await clock.advance(40_000);
  t.false(tracked.failed('a', failure.keyRefused()).park);
});
