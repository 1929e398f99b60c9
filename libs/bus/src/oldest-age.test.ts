import test from 'ava';
import { oldestAgeSeconds } from './index.ts';

const since = (...times: (number | null)[]) => times.map((time) => ({ oldestPending: () => time }));

test('the oldest record of all subscriptions counts, those without one do not', (t) => {
  t.is(oldestAgeSeconds(since(7_000, null, 4_000), 10_000), 6);
});

test('nothing that waits has no age, and a clock that was set back makes none below zero', (t) => {
  t.is(oldestAgeSeconds(since(null), 10_000), 0);
  t.is(oldestAgeSeconds([], 10_000), 0);
  t.is(oldestAgeSeconds(since(12_000), 10_000), 0);
});
