import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { readNumber } from './read-number.ts';

testProp(
  'a number and its text are the same number',
  [fc.double({ noNaN: true, noDefaultInfinity: true })],
  (t, value) => {
    t.is(readNumber(value), value);
    t.is(readNumber(` ${value} `), value === 0 ? 0 : value);
  },
);

for (const [text, number] of [
  ['-1.28612', -1.286_12],
  ['+36.8', 36.8],
  ['.5', 0.5],
  ['2.', 2],
  ['007', 7],
] as const)
  test(`${text} is a number`, (t) => {
    t.is(readNumber(text), number);
  });

test('nothing is told from what cannot be read', (t) => {
  for (const none of [null, undefined]) t.is(readNumber(none), null);
  const bad = ['', ' ', 'abc', '0x10', '1,5', '1 2', 'NaN', 'Infinity', '1e999', '--1', '٣', '1'.repeat(101)];
  for (const value of [...bad, Infinity, Number.NaN, true, false, {}, [], [1], { valueOf: 0 }])
    t.is(readNumber(value), undefined, String(JSON.stringify(value)));
});

testProp('whatever comes is a finite number, none or unreadable', [fc.anything()], (t, value) => {
  const read = readNumber(value);
  t.true(read === null || read === undefined || Number.isFinite(read));
});
