import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { delayFor, systemRandom } from './index.ts';
import { seededRandom } from './testing/index.ts';

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
