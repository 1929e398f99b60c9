import { stripVTControlCharacters } from 'node:util';
import { fc, testProp } from '@fast-check/ava';
import { anyCharacter } from '@ranger-relay/runtime/testing';
import test from 'ava';
import {
  alignColumns,
  createPaint,
  humanAgo,
  humanCount,
  humanSpan,
  jsonDocument,
  plural,
  printable,
  printableJson,
  printableText,
  wantsColour,
} from './format.ts';

test('columns stand left or right, two blanks apart, without blanks at the end', (t) => {
  const rows = [
    ['name', 'count', 'note'],
    ['ingester', '7', ''],
    ['a', '1 000', 'x'],
  ];
  t.deepEqual(alignColumns(rows, ['left', 'right', 'left']), [
    'name      count  note',
    'ingester      7',
    'a         1 000  x',
  ]);
});

test('a styled cell counts by what is seen of it', (t) => {
  const { red } = createPaint(true);
  const lines = alignColumns(
    [
      [red('bad'), '1'],
      ['good', '2'],
    ],
    ['left', 'right'],
  );
  t.deepEqual(lines.map(stripVTControlCharacters), ['bad   1', 'good  2']);
});

test('no rows are no lines', (t) => {
  t.deepEqual(alignColumns([], ['left']), []);
});

const cell = fc.stringMatching(/^[a-z0-9]{1,12}$/);

testProp(
  'right-aligned last columns all end in one place',
  [fc.array(fc.tuple(cell, cell), { minLength: 1 })],
  (t, rows) => {
    const lines = alignColumns(rows, ['left', 'right']);
    t.is(new Set(lines.map((line) => line.length)).size, 1);
    for (const [index, [first, last]] of rows.entries()) {
      t.true(lines[index]?.startsWith(first));
      t.true(lines[index]?.endsWith(last));
    }
  },
);

const spans: [number, string][] = [
  [0, '0 s'],
  [0.4, '0.4 s'],
  [9.949, '9.9 s'],
  [9.96, '10 s'],
  [59.4, '59 s'],
  [59.6, '1 min'],
  [200, '3 min 20 s'],
  [3_600, '1 h'],
  [7_500, '2 h 5 min'],
  [86_400, '1 d'],
  [792_000, '9 d 4 h'],
  [-5, '0 s'],
];

for (const [seconds, text] of spans) test(`${seconds} seconds read as ${text}`, (t) => t.is(humanSpan(seconds), text));

const unit: Record<string, number> = { d: 86_400, h: 3_600, min: 60, s: 1 };

testProp(
  'a span that is read back is less than its smaller unit away',
  [fc.integer({ min: 0, max: 10_000_000 })],
  (t, seconds) => {
    const parts = [...humanSpan(seconds).matchAll(/(\d+) (d|h|min|s)/g)];
    const back = parts.reduce((sum, [, n = '', u = '']) => sum + Number(n) * (unit[u] ?? 0), 0);
    const smallest = seconds >= 86_400 ? 3_600 : seconds >= 3_600 ? 60 : 1;
    t.true(back <= seconds && seconds - back < smallest);
  },
);

const now = Date.UTC(2026, 0, 1, 12);

test('moments are told by how long ago they were', (t) => {
  t.is(humanAgo(null, now), 'never');
  t.is(humanAgo('2026-01-01T11:59:30Z', now), '30 s ago');
  t.is(humanAgo('2025-12-30T12:00:00Z', now), '2 d ago');
});

test('a device whose clock is ahead was heard now, and a time nobody can read is said to be so', (t) => {
  t.is(humanAgo('2026-01-01T12:05:00Z', now), 'now');
  t.is(humanAgo('yesterday', now), '?');
});

test('counts are grouped by three digits', (t) => {
  t.is(humanCount(7), '7');
  t.is(humanCount(1_234), '1 234');
  t.is(humanCount(1_234_567), '1 234 567');
});

test('one is singular, all else plural', (t) => {
  t.is(plural(1, 'event'), '1 event');
  t.is(plural(0, 'event'), '0 events');
  t.is(plural(2_000, 'retry', 'retries'), '2 000 retries');
});

test('without colours every style gives the text back unchanged', (t) => {
  const paint = createPaint(false);
  for (const style of Object.values(paint)) t.is(style('SOS'), 'SOS');
});

test('with colours every style marks the text and ends its mark', (t) => {
  const paint = createPaint(true);
  t.is(paint.red('SOS'), '\u001B[31mSOS\u001B[39m');
  for (const style of Object.values(paint)) {
    t.is(stripVTControlCharacters(style('SOS')), 'SOS');
    t.true(style('SOS').startsWith('\u001B[') && style('SOS').endsWith('m'));
  }
});

test('an empty text stays empty, so that no bare escape codes are printed', (t) => {
  t.is(createPaint(true).bold(''), '');
});

test('colours are used on a terminal alone', (t) => {
  t.true(wantsColour({}, true));
  t.false(wantsColour({}, false));
});

test('NO_COLOR with any value, and a dumb terminal, turn colours off; an empty NO_COLOR does not', (t) => {
  t.false(wantsColour({ NO_COLOR: '1' }, true));
  t.false(wantsColour({ NO_COLOR: '0' }, true));
  t.true(wantsColour({ NO_COLOR: '' }, true));
  t.false(wantsColour({ TERM: 'dumb' }, true));
});

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

testProp('no text of any kind makes a terminal do something', [fc.string({ unit: anyCharacter })], (t, text) => {
  t.notRegex(printable(text), obeyed);
  t.notRegex(printableText(text).replaceAll('\n', ''), obeyed);
});

testProp('printed JSON is harmless and reads back as what it was', [fc.jsonValue()], (t, value) => {
  t.notRegex(printableJson(value), obeyed);
  for (const text of [printableJson(value), jsonDocument(value)])
    t.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
});

test('printed JSON escapes what JSON alone would let through', (t) => {
  t.is(printableJson({ a: '\u009B\u202E' }), '{"a":"\\u009b\\u202e"}');
  t.is(jsonDocument({ a: '\u009B' }), '{\n  "a": "\\u009b"\n}');
});
