import { fc, testProp } from '@fast-check/ava';
import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { type Crontab, crontabMembers, lastFire, nextFire, parseCrontab } from './crontab.ts';

const at = (text: string): number => Date.parse(text);
const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

for (const [crontab, after, next] of [
  ['*/10 * * * *', '2026-01-31T12:00:00Z', '2026-01-31T12:10:00.000Z'],
  ['0 */4 * * * -5', '2026-01-31T12:00:00Z', '2026-01-31T13:00:00.000Z'],
  ['30 6 * * 1-5 +8', '2026-01-31T12:00:00Z', '2026-02-01T22:30:00.000Z'],
  ['0 0 29 2 *', '2026-01-31T12:00:00Z', '2028-02-29T00:00:00.000Z'],
  ['0 0 13 * fri', '2026-01-31T12:00:00Z', '2026-02-06T00:00:00.000Z'],
  ['0 0 31 12 *', '2026-12-31T00:00:00Z', '2027-12-31T00:00:00.000Z'],
  ['15,45 8-9/1 1 jan,jul sun', '2026-01-31T12:00:00Z', '2026-07-01T08:15:00.000Z'],
] as const)
  test(`"${crontab}" fires next after ${after} at ${next}`, (t) => {
    t.is(iso(nextFire(parseCrontab(crontab), at(after))), next);
  });

test('a gap without an instant has no last one', (t) => {
  const daily = parseCrontab('0 6 * * *');
  t.is(lastFire(daily, at('2026-01-31T06:00:00Z'), at('2026-02-01T05:59:00Z')), null);
  t.is(iso(lastFire(daily, at('2026-01-31T05:59:00Z'), at('2026-02-01T05:59:00Z'))), '2026-01-31T06:00:00.000Z');
});

/** Whether it fires in this minute, said in the plainest way: every field of the local minute by itself. */
const firesAt = (crontab: Crontab, ms: number): boolean => {
  const local = new Date(ms + crontab.offsetHours * 3_600_000);
  const [inMonth, inWeek] = [crontab.daysOfMonth.has(local.getUTCDate()), crontab.daysOfWeek.has(local.getUTCDay())];
  const either = crontab.daysOfMonth.size < 31 && crontab.daysOfWeek.size < 7;
  return (
    crontab.minutes.has(local.getUTCMinutes()) &&
    crontab.hours.has(local.getUTCHours()) &&
    crontab.months.has(local.getUTCMonth() + 1) &&
    (either ? inMonth || inWeek : inMonth && inWeek)
  );
};

const field = (min: number, max: number) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant('*') },
    fc.integer({ min, max }).map(String),
    fc.integer({ min: 1, max: 20 }).map((step) => `*/${step}`),
    fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    fc.array(fc.integer({ min, max }), { minLength: 1, maxLength: 4 }).map((list) => list.join(',')),
  );

const crontabs = fc
  .tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 7), fc.integer({ min: -12, max: 14 }))
  .map((parts) => parts.join(' '))
  .filter((text) => {
    try {
      return parseCrontab(text) !== undefined;
    } catch (error) {
      return !/never fires/.test(String(error));
    }
  });

const horizonMinutes = 4 * 1_440;

testProp(
  'the next instant is the first minute that fires, and nothing fires between',
  [crontabs, fc.integer({ min: at('2020-01-01T00:00:00Z'), max: at('2035-01-01T00:00:00Z') })],
  (t, text, after) => {
    const crontab = parseCrontab(text);
    const found = nextFire(crontab, after);
    const first = Math.floor(after / 60_000) * 60_000 + 60_000;
    let plain: number | undefined;
    for (let n = 0; n < horizonMinutes && plain === undefined; n += 1)
      if (firesAt(crontab, first + n * 60_000)) plain = first + n * 60_000;
    if (plain === undefined) t.true(found >= first + horizonMinutes * 60_000);
    else t.is(found, plain);
  },
  { numRuns: 200 },
);

testProp(
  'the last instant of a gap is the last minute of it that fires',
  [
    crontabs,
    fc.integer({ min: at('2020-01-01T00:00:00Z'), max: at('2035-01-01T00:00:00Z') }),
    fc.integer({ min: 0, max: 3_000 }),
  ],
  (t, text, until, gapMinutes) => {
    const crontab = parseCrontab(text);
    const since = until - gapMinutes * 60_000;
    let plain: number | null = null;
    for (let ms = Math.floor(until / 60_000) * 60_000; ms > since && plain === null; ms -= 60_000)
      if (firesAt(crontab, ms)) plain = ms;
    t.is(lastFire(crontab, since, until), plain);
  },
  { numRuns: 200 },
);

for (const [text, reason] of [
  ['', /0 fields/],
  ['* * * *', /4 fields/],
  ['* * * * * 0 0', /7 fields/],
  ['*/0 * * * *', /step of minute/],
  ['60 * * * *', /minute "60" is not between 0 and 59/],
  ['* 24 * * *', /hour/],
  ['* * 0 * *', /day of month/],
  ['* * * 13 *', /month/],
  ['* * * * 8', /day of week/],
  ['5-1 * * * *', /backwards/],
  ['5/2 * * * *', /cannot have a step/],
  ['1-2-3 * * * *', /is not a range/],
  ['*/2/2 * * * *', /two steps/],
  ['1,,2 * * * *', /minute ""/],
  ['* * * foo *', /month "foo"/],
  ['* * * * * 15', /offset "15"/],
  ['* * * * * -13', /offset/],
  ['* * * * * 5.5', /offset/],
  ['* * * * * UTC', /offset/],
  ['-1 * * * *', /minute/],
  ['0 0 31 2 *', /never fires/],
  ['0 0 31 feb,apr,jun,sep,nov *', /never fires/],
] as const)
  test(`"${text}" is refused, and the field and the value are named`, (t) => {
    const error = t.throws(() => parseCrontab(text));
    t.true(isRelayError(error, 'crontab_invalid'));
    t.regex(error?.message ?? '', reason);
  });

test('names, lists of ranges, steps and both Sundays are taken', (t) => {
  const { minutes, months, daysOfWeek, offsetHours } = parseCrontab('0-10/5,30 * * JAN-mar,12 5-7 -5');
  t.deepEqual([...minutes], [0, 5, 10, 30]);
  t.deepEqual([...months], [1, 2, 3, 12]);
  t.deepEqual([...daysOfWeek], [5, 6, 0]);
  t.is(offsetHours, -5);
});

testProp('no text makes it fail in another way', [fc.string({ maxLength: 60 })], (t, text) => {
  try {
    parseCrontab(text);
  } catch (error) {
    t.true(isRelayError(error, 'crontab_invalid'));
  }
  t.pass();
});

/** A field by the receiver's grammar: digits only, days of the week from 0 to 6, ranges that do not run backwards. */
const received = (text: string, min: number, max: number): ReadonlySet<number> => {
  const numbers = text.split(',').flatMap((part) => {
    const [, all, from = '', to = from, by = '1'] = /^(?:(\*)|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(part) ?? [];
    const [first, last, step] = all ? [min, max, Number(by)] : [Number(from), Number(to), Number(by)];
    if (from === '' && !all) throw new Error(`the receiver does not know "${part}"`);
    if (first < min || last > max || last < first || step < 1) throw new Error(`"${part}" is out of range`);
    return Array.from({ length: max + 1 }, (_, n) => n).filter(
      (n) => n >= first && n <= last && (n - first) % step === 0,
    );
  });
  return new Set(numbers);
};

const receivedCrontab = (text: string): Crontab => {
  const members = crontabMembers(parseCrontab(text));
  return {
    text,
    minutes: received(members.minute, 0, 59),
    hours: received(members.hour, 0, 23),
    daysOfMonth: received(members.day_of_month, 1, 31),
    months: received(members.month_of_year, 1, 12),
    daysOfWeek: received(members.day_of_week, 0, 6),
    offsetHours: members.tz_offset,
  };
};

const named = fc.constantFrom(
  'mon-fri',
  'sun,sat',
  'sat',
  '5-7',
  '1-7',
  '0-7',
  '6-7',
  '7',
  '0,7',
  '1-7/2',
  '2-7/5',
  '*/7',
);

testProp(
  'what is registered fires in the same minutes by the grammar of the receiver',
  [
    fc.oneof(
      crontabs,
      fc.tuple(named, fc.constantFrom('*', 'jan-mar,12')).map(([day, month]) => `0 6 * ${month} ${day}`),
    ),
    fc.integer({ min: at('2020-01-01T00:00:00Z'), max: at('2035-01-01T00:00:00Z') }),
  ],
  (t, text, from) => {
    const [ours, theirs] = [parseCrontab(text), receivedCrontab(text)];
    for (let n = 0, ms = from; n < 20; n += 1) {
      const next = nextFire(ours, ms);
      t.is(next, nextFire(theirs, ms), text);
      ms = next;
    }
  },
  { numRuns: 300 },
);

for (const [day, sent] of [
  ['7', '0'],
  ['5-7', '5-6,0'],
  ['1-7', '1-6,0'],
  ['0-7', '*'],
  ['mon-fri', '1-5'],
  ['*/2', '*/2'],
] as const)
  test(`day of week "${day}" is registered as "${sent}"`, (t) => {
    t.is(crontabMembers(parseCrontab(`*/10 6 * * ${day}`)).day_of_week, sent);
    t.is(crontabMembers(parseCrontab(`*/10 6 * * ${day}`)).minute, '*/10');
  });
