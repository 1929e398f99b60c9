import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { delayFor, pause, retry, systemRandom } from '../index.ts';
import { manualClock, seededRandom } from '../testing/index.ts';

const none = { next: () => 0, uuid: () => '' };

test('the delay doubles from the first to the greatest', (t) => {
  const backoff = { baseMs: 1_000, maxMs: 60_000, jitterMs: 0 };
  t.deepEqual(
    [0, 1, 2, 3, 4, 5, 6, 7, 1_000].map((attempt) => delayFor(backoff, attempt, none)),
    [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000],
  );
});

const backoffs = fc.record({
  baseMs: fc.integer({ min: 1, max: 10_000 }),
  maxMs: fc.integer({ min: 1, max: 100_000 }),
  jitterMs: fc.nat({ max: 5_000 }),
});

testProp(
  'the delay is never over the greatest, nor under what doubling gives',
  [backoffs, fc.nat({ max: 2_000 }), fc.integer()],
  (t, backoff, attempt, seed) => {
    const delay = delayFor(backoff, attempt, seededRandom(seed));
    t.true(Number.isFinite(delay) && delay <= backoff.maxMs);
    t.true(delay >= Math.min(backoff.maxMs, backoff.baseMs * 2 ** Math.min(attempt, 30)));
  },
);

test('the system’s chance stays within its bounds and its ids differ', (t) => {
  for (let i = 0; i < 100; i += 1) {
    const value = systemRandom.next();
    t.true(value >= 0 && value < 1);
  }
  t.not(systemRandom.uuid(), systemRandom.uuid());
});

testProp(
  'a task is tried as often and as long as the policy says, with its delays between',
  [fc.nat({ max: 8 }), fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 3_000 })],
  async (t, failures, tries, totalMs) => {
    const clock = manualClock();
    const began: number[] = [];
    const backoff = { baseMs: 100, maxMs: 1_000, jitterMs: 0 };
    const options = { backoff, tries, totalMs, clock, random: none, onError: (_: unknown, delayMs: number) => delayMs };
    const outcome = retry(options, async () => {
      began.push(clock.monotonic());
      if (began.length <= failures) throw new Error(`failure ${began.length}`);
      return 'done';
    }).catch((error: Error) => error.message);
    await clock.advance(10_000);
    const moments = [0, 100, 300, 700, 1_500, 2_500, 3_500, 4_500, 5_500];
    const wanted = moments.filter((at, index) => index < Math.min(tries, failures + 1) && at < totalMs);
    t.deepEqual(began, wanted);
    t.is(await outcome, wanted.length > failures ? 'done' : `failure ${wanted.length}`);
  },
);

const onError = (error: unknown): number | null => ((error as Error).message === 'again' ? 5_000 : null);

test('an error that is worth no other try is thrown at once, one that asks for a wait gets it', async (t) => {
  const clock = manualClock();
  const errors = [new Error('again'), new Error('over')];
  const backoff = { baseMs: 1, maxMs: 1, jitterMs: 0 };
  const outcome = t.throwsAsync(
    retry({ backoff, clock, random: none, onError }, () => Promise.reject(errors.shift())),
    { message: 'over' },
  );
  await clock.advance(4_999);
  t.is(errors.length, 1);
  await clock.advance(1);
  await outcome;
});

test('a signal ends the wait between tries, and a pause without an error', async (t) => {
  const clock = manualClock();
  const controller = new AbortController();
  const { signal } = controller;
  const backoff = { baseMs: 1_000, maxMs: 1_000, jitterMs: 0 };
  const retrying = retry({ backoff, clock, random: none, signal, onError: (_, delayMs) => delayMs }, () =>
    Promise.reject(new Error('no')),
  );
  const thrown = t.throwsAsync(retrying, { message: 'the end' });
  const waiting = pause(clock, 1_000, signal);
  await clock.advance(10);
  controller.abort(new Error('the end'));
  await thrown;
  await waiting;
  t.is(clock.pending(), 0);
});
