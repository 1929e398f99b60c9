import { fc, testProp } from '@fast-check/ava';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { maxRetryAfterMs, parseRetryAfter } from './retry-after.ts';

const clock = manualClock(Date.UTC(2026, 0, 1, 12));

test('seconds and dates are understood', (t) => {
  t.is(parseRetryAfter('0', clock), 0);
  t.is(parseRetryAfter(' 30 ', clock), 30_000);
  t.is(parseRetryAfter('Thu, 01 Jan 2026 12:00:20 GMT', clock), 20_000);
});

test('a date that has passed means no wait', (t) => {
  t.is(parseRetryAfter('Thu, 01 Jan 2026 11:00:00 GMT', clock), 0);
});

test('no wait is longer than an hour', (t) => {
  t.is(parseRetryAfter('86400', clock), maxRetryAfterMs);
  t.is(parseRetryAfter('9'.repeat(400), clock), maxRetryAfterMs);
  t.is(parseRetryAfter('Fri, 01 Jan 2027 12:00:00 GMT', clock), maxRetryAfterMs);
});

test('anything else is no wish', (t) => {
  for (const text of [undefined, '', 'soon', '-5', '1.5', '2026-01-01', 'Thu, nonsense'])
    t.is(parseRetryAfter(text, clock), undefined);
});

testProp('every text gives a bounded wait or none', [fc.string()], (t, text) => {
  const wait = parseRetryAfter(text, clock);
  t.true(wait === undefined || (wait >= 0 && wait <= maxRetryAfterMs));
});
