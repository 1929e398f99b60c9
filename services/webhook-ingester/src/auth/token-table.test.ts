import { createHash } from 'node:crypto';
import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { isTokenValid, parseTokenTable } from './token-table.ts';

const digest = (token: string): string => `sha256:${createHash('sha256').update(token).digest('hex')}`;

test('plain tokens and digests are valid side by side', (t) => {
  const table = parseTokenTable(JSON.stringify({ a: ['one', digest('two')], b: ['three'] }));
  t.true(isTokenValid(table, 'a', ['one']));
  t.true(isTokenValid(table, 'a', ['two']));
  t.true(isTokenValid(table, 'a', ['wrong', 'two']));
  t.false(isTokenValid(table, 'a', ['three']));
  t.false(isTokenValid(table, 'a', [digest('two')]));
  t.false(isTokenValid(table, 'a', []));
});

test('an integration without tokens lets nobody in, not even by an empty digest', (t) => {
  const table = parseTokenTable(JSON.stringify({ a: [] }));
  for (const id of ['a', 'unknown', 'constructor'])
    for (const token of ['', '\0', 'anything']) t.false(isTokenValid(table, id, [token]));
});

test('ids in capitals and in lower case are one integration', (t) => {
  const id = '11111111-AAAA-4111-8111-111111111111';
  const table = parseTokenTable(JSON.stringify({ [id]: ['one'], [id.toLowerCase()]: ['two'] }));
  t.is(table.size, 1);
  t.true(isTokenValid(table, id.toLowerCase(), ['one']));
  t.true(isTokenValid(table, id.toLowerCase(), ['two']));
});

for (const [name, text] of [
  ['no JSON', '{"a":["secret-value"'],
  ['a list', '["secret-value"]'],
  ['a token outside a list', '{"a":"secret-value"}'],
  ['an empty token', '{"a":["secret-value",""]}'],
  ['a number as token', '{"a":["secret-value",5]}'],
  ['a short digest', '{"a":["secret-value","sha256:abc"]}'],
  ['a key that is no id', '{"a/b":["secret-value"]}'],
] as const)
  test(`${name} is refused in words that hold no token`, (t) => {
    const error = t.throws(() => parseTokenTable(text));
    t.false(error?.message.includes('secret-value'));
  });

testProp(
  'exactly the listed tokens are valid',
  [fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 2 })],
  (t, all) => {
    const [other, ...listed] = all as [string, ...string[]];
    const usable = listed.filter((token) => !token.startsWith('sha256:'));
    const table = parseTokenTable(JSON.stringify({ a: usable }));
    for (const token of usable) t.true(isTokenValid(table, 'a', [token]));
    t.false(isTokenValid(table, 'a', [other]));
  },
);
