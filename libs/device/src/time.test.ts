import { testProp, fc } from '@fast-check/ava';
import test from 'ava';
import { isoTime, readTime } from './time.ts';
import { now, sentAt } from './test/events.ts';

const day = 86_400_000;

for (const value of [
  sentAt,
  String(sentAt),
  ` ${sentAt} `,
  sentAt + 0.75,
  '2024-04-23T12:49:03Z',
  '2024-04-23T12:49:03.000Z',
  '2024-04-23T12:49:03.0000000Z',
  '2024-04-23T12:49:03',
  '2024-04-23 12:49:03Z',
  '2024-04-23T12:49:03+00:00',
  '2024-04-23T15:49:03+03:00',
  '2024-04-23T15:49:03+0300',
  '2024-04-23 15:49:03 +03',
  '2024-04-23T07:19:03-05:30',
  '20240423T124903Z',
])
  test(`${JSON.stringify(value)} is the same moment in every accepted form`, (t) => {
    t.deepEqual(readTime(value, now), { kind: 'ok', ms: sentAt });
  });

for (const value of [undefined, null, '', '  '])
  test(`${JSON.stringify(value)} is a missing time`, (t) => {
    t.is(readTime(value, now).kind, 'missing');
  });

for (const value of [
  -62_135_596_800_000,
  '-62135596800000',
  '0001-01-01T00:00:00Z',
  '0001-01-01T00:00:00',
  '0001-01-01T00:00:00+03:00',
])
  test(`${JSON.stringify(value)} is the year 1 sentinel`, (t) => {
    t.is(readTime(value, now).kind, 'sentinel');
  });

for (const value of [
  0,
  1_713_876_543,
  '1713876543',
  'yesterday',
  '2024-02-30T00:00:00Z',
  '2024-04-23T24:00:00Z',
  '2024-04-23T12:60:00Z',
  '2024-13-01T00:00:00Z',
  '2024-04-23T12:49:03+24:00',
  Number.POSITIVE_INFINITY,
  Number.NaN,
  true,
  {},
  [],
  '9'.repeat(400),
])
  test(`${typeof value === 'number' ? value : JSON.stringify(value).slice(0, 40)} is a bad time`, (t) => {
    t.is(readTime(value, now).kind, 'bad');
  });

test('the bounds are 2011-01-01 and a day ahead of the receipt, both inside', (t) => {
  const start = Date.UTC(2011, 0, 1);
  t.is(readTime(start, now).kind, 'ok');
  t.is(readTime(start - 1, now).kind, 'bad');
  t.is(readTime(now + day, now).kind, 'ok');
  t.is(readTime(now + day + 1, now).kind, 'bad');
});

test('milliseconds are written only when they are not zero', (t) => {
  t.is(isoTime(sentAt), '2024-04-23T12:49:03Z');
  t.is(isoTime(sentAt + 50), '2024-04-23T12:49:03.050Z');
});

testProp('a moment survives being written and read', [fc.integer({ min: Date.UTC(2011, 0, 1), max: now })], (t, ms) => {
  t.deepEqual(readTime(isoTime(ms), now), { kind: 'ok', ms });
  t.deepEqual(readTime(String(ms), now), { kind: 'ok', ms });
});

testProp('any value is judged without throwing', [fc.anything()], (t, value) => {
  t.true(['ok', 'missing', 'sentinel', 'bad'].includes(readTime(value, now).kind));
});
