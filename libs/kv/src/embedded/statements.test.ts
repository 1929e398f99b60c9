import { fc, testProp } from '@fast-check/ava';
import { anyCharacter } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { endOfPrefix } from './statements.ts';

const order = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right));
const text = fc.string({ unit: anyCharacter, maxLength: 6 });

test('the end of a prefix is its text with the last code point raised', (t) => {
  t.is(endOfPrefix('event.'), 'event/');
  t.is(endOfPrefix('a\u{D7FF}'), 'a\u{E000}');
  t.is(endOfPrefix('a\u{FFFF}'), 'a\u{10000}');
});

test('where the last code point cannot be raised, the one before it is', (t) => {
  t.is(endOfPrefix('a\u{10FFFF}\u{10FFFF}'), 'b');
});

test('the empty prefix and one of highest code points have no end', (t) => {
  t.is(endOfPrefix(''), null);
  t.is(endOfPrefix('\u{10FFFF}'), null);
});

testProp('every text with the prefix lies before the end', [text, text], (t, prefix, rest) => {
  const end = endOfPrefix(prefix);
  t.true(end === null || order(prefix + rest, end) < 0);
});

testProp('a text without the prefix lies before the prefix or not before the end', [text, text], (t, prefix, other) => {
  fc.pre(!other.startsWith(prefix));
  const end = endOfPrefix(prefix);
  t.true(order(other, prefix) < 0 || (end !== null && order(other, end) >= 0));
});
