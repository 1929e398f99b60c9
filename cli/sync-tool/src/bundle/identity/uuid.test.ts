import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { canonicalUuid } from './uuid.ts';

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
