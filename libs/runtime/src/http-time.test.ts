import { execFileSync } from 'node:child_process';
import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { maxRetryAfterMs, parseHttpDate, parseRetryAfter } from './http-time.ts';
import { manualClock } from './testing/manual-clock.ts';

const clock = manualClock(Date.UTC(2026, 10, 27, 7));

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** The forms of a date that RFC 9110 names. */
const formsOf = (at: number): readonly string[] => {
  const date = new Date(at);
  const fixed = date.toUTCString();
  const [, day = '', month = '', year = '', time = ''] = fixed.split(' ');
  const long = days[date.getUTCDay()] ?? '';
  return [
    fixed,
    `${long}, ${day}-${month}-${year.slice(2)} ${time} GMT`,
    `${fixed.slice(0, 3)} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`,
  ];
};

testProp(
  'each form of a date of HTTP is the same moment',
  [fc.integer({ min: 0, max: Date.UTC(2069, 11, 31) / 1_000 })],
  (t, seconds) => {
    for (const form of formsOf(seconds * 1_000)) t.is(parseHttpDate(form), seconds * 1_000, form);
  },
);

test('a date of HTTP is GMT, whatever the time zone of the process', (t) => {
  const url = new URL('http-time.ts', import.meta.url).href;
  const at = Date.UTC(2026, 10, 7, 7, 0, 10);
  const code = `import { parseHttpDate } from '${url}'; console.log(JSON.stringify(${JSON.stringify(formsOf(at))}.map(parseHttpDate)))`;
  const env = { ...process.env, TZ: 'Asia/Kathmandu' };
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], { env, encoding: 'utf8' });
  t.deepEqual(JSON.parse(printed), [at, at, at]);
});

test('seconds, parts of them and dates are waits', (t) => {
  t.is(parseRetryAfter('0', clock), 0);
  t.is(parseRetryAfter(' 30 ', clock), 30_000);
  t.is(parseRetryAfter('299.997', clock), 300_000);
  t.is(parseRetryAfter('Fri, 27 Nov 2026 07:00:20 GMT', clock), 20_000);
  t.is(parseRetryAfter('Fri Nov 27 07:00:10 2026', clock), 10_000);
});

test('a date that has passed means no wait', (t) => {
  t.is(parseRetryAfter('Fri, 27 Nov 2026 06:00:00 GMT', clock), 0);
});

test('no wait is longer than an hour', (t) => {
  for (const text of ['86400', '9'.repeat(400), 'Sat, 27 Nov 2027 12:00:00 GMT'])
    t.is(parseRetryAfter(text, clock), maxRetryAfterMs);
});

test('anything else is no wish', (t) => {
  for (const text of [
    undefined,
    '',
    'soon',
    '-5',
    '1e3',
    '.5',
    '2026-01-01',
    'Thu, nonsense',
    'Fri, 27 Foo 2026 07:00:20 GMT',
  ])
    t.is(parseRetryAfter(text, clock), undefined);
});

testProp('every text gives a bounded wait or none', [fc.string()], (t, text) => {
  const wait = parseRetryAfter(text, clock);
  t.true(wait === undefined || (wait >= 0 && wait <= maxRetryAfterMs));
});
