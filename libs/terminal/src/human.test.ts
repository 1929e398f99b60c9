import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { humanAgo, humanCount, humanSpan, plural } from './human.ts';

const spans: [number, string][] = [
  [0, '0 s'],
  [0.4, '0.4 s'],
  [9.949, '9.9 s'],
  [9.96, '10 s'],
  [59.4, '59 s'],
  [59.6, '1 min'],
  [200, '3 min 20 s'],
  [3_600, '1 h'],
  [7_500, '2 h 5 min'],
  [86_400, '1 d'],
  [792_000, '9 d 4 h'],
  [-5, '0 s'],
];

for (const [seconds, text] of spans) test(`${seconds} seconds read as ${text}`, (t) => t.is(humanSpan(seconds), text));

const unit: Record<string, number> = { d: 86_400, h: 3_600, min: 60, s: 1 };

testProp(
  'a span that is read back is less than its smaller unit away',
  [fc.integer({ min: 0, max: 10_000_000 })],
  (t, seconds) => {
    const parts = [...humanSpan(seconds).matchAll(/(\d+) (d|h|min|s)/g)];
    const back = parts.reduce((sum, [, n = '', u = '']) => sum + Number(n) * (unit[u] ?? 0), 0);
    const smallest = seconds >= 86_400 ? 3_600 : seconds >= 3_600 ? 60 : 1;
    t.true(back <= seconds && seconds - back < smallest);
  },
);

const now = Date.UTC(2026, 0, 1, 12);

test('moments are told by how long ago they were', (t) => {
  t.is(humanAgo(null, now), 'never');
  t.is(humanAgo('2026-01-01T11:59:30Z', now), '30 s ago');
  t.is(humanAgo('2025-12-30T12:00:00Z', now), '2 d ago');
});

test('a device whose clock is ahead was heard now, and a time nobody can read is said to be so', (t) => {
  t.is(humanAgo('2026-01-01T12:05:00Z', now), 'now');
  t.is(humanAgo('yesterday', now), '?');
});

test('counts are grouped by three digits', (t) => {
  t.is(humanCount(7), '7');
  t.is(humanCount(1_234), '1 234');
  t.is(humanCount(1_234_567), '1 234 567');
});

test('one is singular, all else plural', (t) => {
  t.is(plural(1, 'event'), '1 event');
  t.is(plural(0, 'event'), '0 events');
  t.is(plural(2_000, 'retry', 'retries'), '2 000 retries');
});
