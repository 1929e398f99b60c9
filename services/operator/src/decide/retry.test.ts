import test from 'ava';
import { dueAfter, retryAt } from './retry.ts';

const now = Date.UTC(2026, 0, 2);
const written = (ms: number): string => new Date(now + ms).toISOString();

test('tries come a minute after the first failure, then less and less often, a quarter of an hour apart at most', (t) => {
  t.deepEqual(
    [0, 1, 2, 3, 5, 50].map((n) => (retryAt(written(0), n, now) - now) / 60_000),
    [1, 1, 2, 4, 15, 15],
  );
});

test('a moment that a replica wrote whose clock is ahead keeps nobody waiting', (t) => {
  t.is(dueAfter(written(-1_000), 60_000, now), now + 59_000);
  for (const aheadMs of [1, 60_000, 365 * 86_400_000]) {
    t.is(dueAfter(written(aheadMs), 60_000, now), now);
    t.is(retryAt(written(aheadMs), 3, now), now);
  }
});
