import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { canonicalUuid, UuidTable, UuidWords } from './uuid.ts';

const zero = '0'.repeat(32);
const hex = fc.stringMatching(/^[0-9a-f]{32}$/).filter((uuid) => uuid !== zero);
const dashed = (uuid: string): string => uuid.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

testProp('every spelling of a uuid has one canonical one', [hex], (t, uuid) => {
  for (const spelling of [uuid, uuid.toUpperCase(), dashed(uuid), dashed(uuid).toUpperCase()])
    t.is(canonicalUuid(spelling), uuid);
});

testProp(
  'what is no uuid has none',
  [fc.oneof(fc.string(), fc.string({ minLength: 32, maxLength: 36 }))],
  (t, text) => {
    const isUuid = /^[0-9a-f]{32}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
    t.is(canonicalUuid(text) !== null, isUuid && !/^[0-]*$/.test(text));
  },
);

for (const text of [
  zero,
  dashed(zero),
  `${'a'.repeat(31)}g`,
  `{${'a'.repeat(32)}}`,
  ` ${'a'.repeat(31)}`,
  'é'.repeat(32),
  'aaaa-'.repeat(7) + 'a',
])
  test(`"${text}" is no uuid`, (t) => {
    t.is(canonicalUuid(text), null);
  });

testProp(
  'a table knows each uuid by the number that it was given first',
  [fc.array(hex, { minLength: 1, maxLength: 3_000 })],
  (t, uuids) => {
    const table = new UuidTable();
    const expected = new Map<string, number>();
    const words = new UuidWords();
    for (const [position, uuid] of [...uuids, ...uuids].entries()) {
      words.read(uuid);
      t.is(table.get(words), expected.get(uuid) ?? 0);
      t.is(table.add(words, position + 1), expected.get(uuid) ?? 0);
      if (!expected.has(uuid)) expected.set(uuid, position + 1);
    }
  },
);

test('a table grows with ids that differ in few digits', (t) => {
  const table = new UuidTable();
  const words = new UuidWords();
  for (const tail of [0, 8, 16, 24])
    for (let number = 1; number <= 5_000; number += 1) {
      const digits = number.toString(16).padStart(8, '0');
      words.read(`${'0'.repeat(tail)}${digits}`.padEnd(32, 'f'));
      t.is(table.add(words, number), 0);
    }
});
