import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { printable, printableJson, printableText } from './printable.ts';

test('control characters are shown, not obeyed', (t) => {
  t.is(printable('\u001B[2Jgone'), '\\u{1b}[2Jgone');
  t.is(printable('a\u0007b\u009Bc'), 'a\\u{7}b\\u{9b}c');
});

test('characters that reorder a line are shown', (t) => {
  t.is(printable('abc\u202Edef'), 'abc\\u{202e}def');
});

test('line breaks become one blank, so that one thing stays on one line', (t) => {
  t.is(printable('first\r\n\nsecond'), 'first second');
});

test('usual texts of any language pass unchanged', (t) => {
  for (const text of ['Back at noon', 'Zurück – später', '戻ります', '🆘 now']) t.is(printable(text), text);
});

test('a text of several lines keeps its lines and widens tabs', (t) => {
  t.is(printableText('a\tb\nc\u0000'), 'a  b\nc\\u{0}');
});

// eslint-disable-next-line no-control-regex
const obeyed = /[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/;

testProp('no text of any kind makes a terminal do something', [fc.string({ unit: 'binary' })], (t, text) => {
  t.notRegex(printable(text), obeyed);
  t.notRegex(printableText(text).replaceAll('\n', ''), obeyed);
});

testProp('printed JSON is harmless and reads back as what it was', [fc.jsonValue()], (t, value) => {
  const text = printableJson(value);
  t.notRegex(text, obeyed);
  t.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
});

test('printed JSON escapes what JSON alone would let through', (t) => {
  t.is(printableJson({ a: '\u009B\u202E' }), '{"a":"\\u009b\\u202e"}');
});
