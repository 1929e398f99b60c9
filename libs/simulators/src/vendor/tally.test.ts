import test from 'ava';
import { createTally } from './tally.ts';

const answered = (n: number, change: object = {}) => ({
  at: n,
  attempt: 1,
  events: 1,
  status: 200,
  error: null,
  latencyMs: n,
  rejected: 0,
  ...change,
});

test('percentiles are those of the answers', (t) => {
  const tally = createTally();
  for (let n = 1; n <= 1_000; n += 1) tally.answer(answered(n));
  t.deepEqual(tally.stats().latencyMs, { p50: 501, p99: 991, max: 1_000 });
});

test('a tally at zero has zeros', (t) => {
  t.deepEqual(createTally().stats().latencyMs, { p50: 0, p99: 0, max: 0 });
});

test('answers that did not come are counted by their reason, and acknowledge nothing', (t) => {
  const tally = createTally();
  tally.answer(answered(1, { status: null, error: 'timeout' }));
  tally.answer(answered(2, { attempt: 2, status: 503 }));
  t.like(tally.stats(), { answers: { timeout: 1, 503: 1 }, retries: 1, events: { acknowledged: 0 } });
});

test('only the latest answers are kept', (t) => {
  const tally = createTally();
  for (let n = 1; n <= 70_000; n += 1) tally.answer(answered(n));
  t.is(tally.answers().length, 1_000);
  t.is(tally.answers().at(-1)?.at, 70_000);
  t.is(tally.stats().posts, 70_000);
  t.true(tally.stats().latencyMs.p50 > 30_000);
});
