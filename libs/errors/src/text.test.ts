import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { cleanJson, cleanText, cleanTexts, cutText, escapedText, parseExactJson } from './index.ts';

const anyText = fc.string({ unit: fc.nat(0xff_ff).map((unit) => String.fromCharCode(unit)), maxLength: 40 });
/** Mostly what goes wrong: halves of pairs, controls, and whole pairs at the place of the cut. */
const hostileText = fc.string({
  unit: fc.constantFrom('a', '\0', '\r', '\n', '\t', '\b', '\u001F', '\uD83D', '\uDE00', '😀', '\\', 'é'),
  maxLength: 40,
});
const texts = fc.oneof(anyText, hostileText);

const isClean = (text: string): boolean =>
  text.isWellFormed() && [...text].every((c) => c >= ' ' || c === '\t' || c === '\n');

const pointsOf = (text: string): number => [...text].length;

testProp(
  'a clean text holds nothing that a database refuses, and cleaning it again changes nothing',
  [texts],
  (t, text) => {
    const clean = cleanText(text);
    t.true(isClean(clean));
    t.is(cleanText(clean), clean);
    if (isClean(text)) t.is(clean, text);
  },
);

testProp(
  'a text is cut between code points, never longer than asked, and only when it is longer',
  [texts, fc.nat(50)],
  (t, text, max) => {
    const cut = cutText(text, max);
    t.is(cut, [...text].slice(0, max).join(''));
    const marked = cutText(text, max + 1, '…');
    t.true(pointsOf(marked) <= max + 1);
    t.is(marked.endsWith('…') && !text.endsWith('…'), pointsOf(text) > max + 1);
    t.true(isClean(cleanText(text, max)));
  },
);

testProp(
  'JSON of a record is the value with clean texts and names',
  [fc.jsonValue({ stringUnit: texts as never })],
  (t, value) => {
    const record = { value };
    t.deepEqual(JSON.parse(cleanJson(record)), JSON.parse(JSON.stringify(cleanTexts(record))));
  },
);

testProp(
  'no text or name of a record keeps what a database refuses',
  [fc.dictionary(texts, texts, { minKeys: 1 })],
  (t, record) => {
    for (const [name, text] of Object.entries(JSON.parse(cleanJson({ list: [record] })).list[0] as object)) {
      t.true(isClean(name));
      t.true(isClean(text as string));
    }
  },
);

test('line ends of any system become a line feed, other controls go, half a pair becomes the replacement sign', (t) => {
  t.is(cleanText('a\0b\r\nc\rd\te\u001B[1m\uD83D'), 'ab\nc\nd\te[1m\uFFFD');
});

testProp('an escaped text is clean, and nothing that was refused is missing from it', [texts], (t, text) => {
  const escaped = escapedText(text);
  t.true(isClean(escaped));
  const shown = escaped.replaceAll(/\\u\{([\da-f]+)\}/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  t.is(shown, text.replaceAll('\r\n', '\n'));
});

test('numbers keep every digit beside a text that is cleaned', (t) => {
  const record = parseExactJson('{"a":9007199254740993,"b":["x\\u0000",{"c":-12345678901234567890}]}') as object;
  t.is(cleanJson(record), '{"a":9007199254740993,"b":["x",{"c":-12345678901234567890}]}');
  t.is(JSON.stringify(cleanTexts(record)), cleanJson(record));
});

test('a name like that of the prototype stays a member of its own', (t) => {
  const read = JSON.parse(cleanJson(JSON.parse('{"__proto__":{"a":"\\u0000"}}') as object)) as object;
  t.true(Object.hasOwn(read, '__proto__'));
});
