import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { compareCodePoints, patternOf } from './space.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 5 });

testProp('the order is that of the UTF-8 bytes', [text, text], (t, left, right) => {
  t.is(Math.sign(compareCodePoints(left, right)), Buffer.compare(Buffer.from(left), Buffer.from(right)));
});

test('characters beyond 16 bits come behind all others', (t) => {
  t.true(compareCodePoints('\u{ffff}', '\u{10000}') < 0);
  t.true(compareCodePoints('\u{d7ff}', '\u{e000}') < 0);
});

test('every character with a meaning in patterns is taken literally', (t) => {
  t.is(patternOf('a*?[b]\\'), 'a\\*\\?\\[b\\]\\\\*');
  t.is(patternOf(''), '*');
});
