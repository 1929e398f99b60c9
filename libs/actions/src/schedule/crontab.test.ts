import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { isRelayError } from '@ranger-relay/errors';
import { parseCrontab } from './crontab.ts';

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
  ['5/2 * * * *', /takes no step/],
  ['1-2-3 * * * *', /no range/],
  ['*/2/2 * * * *', /two steps/],
  ['1,,2 * * * *', /minute ""/],
  ['* * * foo *', /month "foo"/],
  ['* * * * * 15', /offset "15"/],
  ['* * * * * -13', /offset/],
  ['* * * * * 5.5', /offset/],
  ['* * * * * UTC', /offset/],
  ['-1 * * * *', /minute/],
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
