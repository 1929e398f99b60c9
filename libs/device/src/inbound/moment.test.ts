import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { readMoment, writeMoment } from './moment.ts';

const now = Date.UTC(2026, 0, 1);
const first = Date.UTC(2011, 0, 1);
const at = Date.UTC(2025, 5, 4, 10, 35, 10);

const good: readonly (readonly [value: unknown, ms: number])[] = [
  ['2025-06-04 13:35:10+03:00', at],
  ['2025-06-04T13:35:10+03:00', at],
  ['2025-06-04T10:35:10Z', at],
  ['2025-06-04 10:35:10', at],
  ['2025-06-04 10:35:10.250000+00:00', at + 250],
  ['2025-06-04T05:05:10-05:30', at],
  [`/Date(${at})/`, at],
  [`/Date(${at}+0300)/`, at],
  [` /Date(${at})/ `, at],
  [`/Date(${first})/`, first],
  ['2011-01-01T00:00:00Z', first],
  [undefined, now],
  [null, now],
  ['', now],
];
for (const [value, ms] of good)
  test(`${JSON.stringify(value) ?? 'nothing'} is read`, (t) => {
    t.deepEqual(readMoment(value, now), { ms });
  });

for (const value of ['/Date(4102444800000)/', '2100-01-01T00:00:00Z', `/Date(${now + 1})/`])
  test(`the future ${value} becomes now`, (t) => {
    t.deepEqual(readMoment(value, now), { ms: now });
  });

for (const value of [`/Date(${first - 1})/`, '2010-12-31 23:59:59', '/Date(-62135596800000)/', '0001-01-01T00:00:00'])
  test(`${value} is before 2011`, (t) => {
    t.deepEqual(readMoment(value, now), { problem: 'is before 2011' });
  });

for (const value of ['soon', '/Date()/', '/Date(12e3)/', '2025-13-01T00:00:00Z', 5, true, {}, [], 'x'.repeat(1_000)])
  test(`${JSON.stringify(value).slice(0, 40)} is no time`, (t) => {
    t.like(readMoment(value, now), { problem: 'is neither /Date(ms)/ nor ISO 8601' });
  });

testProp('what is written is read back', [fc.integer({ min: first, max: now })], (t, ms) => {
  t.deepEqual(readMoment(writeMoment(ms), now), { ms });
});

testProp('whatever comes, a time is never outside what the vendor takes', [fc.anything()], (t, value) => {
  const read = readMoment(value, now);
  t.true('problem' in read || (read.ms >= first && read.ms <= now));
});
