import test from 'ava';
import { fc, testProp } from '@fast-check/ava';
import { isRelayError } from '@ranger-relay/errors';
import type { Manifest, TimezoneSource } from '../model.ts';
import { assertTimezone, canonicalZone, isDate, readTimestamp, ZoneOffsets } from './time.ts';

const dayMs = 86_400_000;

testProp('days of the calendar are dates from year 0 on', [fc.integer({ min: -719_528, max: 2_932_896 })], (t, day) => {
  t.true(isDate(new Date(day * dayMs).toISOString().slice(0, 10)));
});

for (const text of [
  '2023-02-29',
  '1900-02-29',
  '2024-13-01',
  '2024-00-01',
  '2024-01-00',
  '2024-04-31',
  '2024-1-1',
  '2024/01/01',
  '',
  '2024-01-01 ',
  '２024-01-01',
])
  test(`"${text}" is no date`, (t) => {
    t.false(isDate(text));
  });

const instant = (text: string): number => readTimestamp(text)?.instant ?? NaN;

testProp(
  'instants are those that the text names, whatever its offset',
  [
    fc.date({ min: new Date('0001-01-01'), max: new Date('9998-12-31'), noInvalidDate: true }),
    fc.integer({ min: -1_439, max: 1_439 }),
  ],
  (t, date, minutes) => {
    const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, -1);
    const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
    const offset = `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
    t.is(instant(local + offset), date.getTime());
  },
);

test('fractions, lower case and the leap second are read', (t) => {
  t.is(instant('2024-03-02T06:10:00.5Z'), Date.UTC(2024, 2, 2, 6, 10, 0, 500));
  t.is(instant('2024-03-02t06:10:00.123456789z'), Date.UTC(2024, 2, 2, 6, 10, 0, 123));
  t.is(instant('2024-03-02T06:10:00.057013455563Z'), Date.UTC(2024, 2, 2, 6, 10, 0, 57));
  t.is(instant('2016-12-31T23:59:60+00:00'), Date.UTC(2017, 0, 1));
});

for (const text of [
  '2024-03-02',
  '2024-03-02 06:10:00Z',
  '2024-03-02T06:10Z',
  '2024-03-02T24:00:00Z',
  '2024-03-02T06:60:00Z',
  '2024-03-02T06:10:00+0800',
  '2024-03-02T06:10:00+08',
  '2024-03-02T06:10:00+24:00',
  '2024-03-02T06:10:00.Z',
  '2024-03-02T06:10:00Zx',
  '2024-03-02T06:10:00+08:00 ',
])
  test(`"${text}" is no timestamp`, (t) => {
    t.is(instant(text), NaN);
  });

for (const [zone, at, hours] of [
  ['Asia/Manila', '2024-03-02T00:00:00Z', 8],
  ['Asia/Kathmandu', '2024-03-02T00:00:00Z', 5.75],
  ['America/New_York', '2024-03-10T06:59:59Z', -5],
  ['America/New_York', '2024-03-10T07:00:00Z', -4],
  ['America/New_York', '2024-11-03T05:59:59Z', -4],
  ['America/New_York', '2024-11-03T06:00:00Z', -5],
  ['Pacific/Apia', '2011-12-30T09:59:59Z', -10],
  ['Pacific/Apia', '2011-12-30T10:00:00Z', 14],
  ['Africa/Monrovia', '1970-01-01T00:00:00Z', -2_670 / 3_600],
] as const)
  test(`${zone} is ${hours} hours ahead at ${at}`, (t) => {
    t.is(new ZoneOffsets(zone).at(Date.parse(at)), hours * 3_600_000);
  });

const manifest = (name: string, source: TimezoneSource = 'configured'): Pick<Manifest, 'timezone'> => ({
  timezone: { name, canonical: canonicalZone(name) ?? '', source },
});

for (const [zone, wanted] of [
  ['Asia/Manila', 'asia/manila'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['Asia/Kolkata', 'Asia/Calcutta'],
  ['UTC', 'Etc/UTC'],
  ['Europe/Kiev', ' Europe/Kyiv '],
] as const)
  test(`${zone} and "${wanted}" are the same zone`, (t) => {
    t.deepEqual(assertTimezone(manifest(zone, 'inferred'), wanted), []);
  });

for (const [zone, wanted] of [
  ['Asia/Manila', 'Etc/GMT-8'],
  ['Asia/Manila', 'Asia/Singapore'],
  ['UTC', 'Europe/London'],
  ['Asia/Manila', '+08:00'],
  ['America/Los_Angeles', 'PST'],
  ['Asia/Manila', ''],
] as const)
  test(`${zone} and "${wanted}" are not the same zone`, (t) => {
    const error = t.throws(() => assertTimezone(manifest(zone), wanted));
    t.true(isRelayError(error, 'timezone_mismatch'));
    t.regex(error?.message ?? '', new RegExp(`${zone}.*re-export with the environment variable EXT_TIMEZONE set`));
  });

test('a zone that nobody chose is not called inferred', (t) => {
  const [text = ''] = assertTimezone(manifest('Asia/Manila', 'default'));
  t.regex(text, /Asia\/Manila .* was chosen by nobody; say --timezone Asia\/Manila/);
  t.notRegex(text, /inferred/);
});

test('the variable of the exporter has the name that was set', (t) => {
  t.regex(assertTimezone(manifest('Asia/Manila', 'default'), undefined, 'W_ZONE').join(), /variable W_ZONE set/);
  t.throws(() => assertTimezone(manifest('Asia/Manila'), 'UTC', 'W_ZONE'), { message: /variable W_ZONE set/ });
});

test('a zone that was inferred and nobody named is a warning, a configured one is not', (t) => {
  t.regex(
    assertTimezone(manifest('Asia/Manila', 'inferred')).join(),
    /Asia\/Manila .* inferred .*--timezone .*EXT_TIMEZONE/,
  );
  t.deepEqual(assertTimezone(manifest('Asia/Manila')), []);
});
