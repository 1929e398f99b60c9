import { stripVTControlCharacters } from 'node:util';
import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { createPaint } from './paint.ts';
import { alignColumns } from './table.ts';

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
