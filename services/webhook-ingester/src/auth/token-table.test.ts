import { createHash } from 'node:crypto';
import { fc, testProp } from '@fast-check/ava';
import { blockListOf } from '@ranger-relay/runtime';
import test from 'ava';
import { isTrustedPeer, normalizeAddress } from './authenticate.ts';
import { integrationIdOf, isTokenValid, normalizeId, parseTokenTable } from './token-table.ts';

const id = '11111111-1111-4111-8111-111111111111';
const none = { consumer: undefined, header: undefined, query: undefined };

test('consumer, header and query count in this order', (t) => {
  t.is(integrationIdOf({ consumer: `integration:${id}`, header: 'h', query: 'q' }), id);
  t.is(integrationIdOf({ ...none, header: 'h', query: 'q' }), 'h');
  t.is(integrationIdOf({ ...none, query: 'q' }), 'q');
  t.is(integrationIdOf(none), undefined);
});

test('of a consumer what follows the last colon counts, and an anonymous one is nobody', (t) => {
  t.is(integrationIdOf({ ...none, consumer: `a:b:${id}`, header: 'h' }), id);
  t.is(integrationIdOf({ ...none, consumer: 'anonymous', header: 'h' }), 'h');
  t.is(integrationIdOf({ ...none, consumer: 'integration:', header: 'h' }), 'h');
});

test('ids are trimmed, UUIDs are compared in lower case', (t) => {
  t.is(normalizeId(` ${id} `), id);
  t.is(normalizeId('ABCDEF12-1111-4111-8111-111111111111'), 'abcdef12-1111-4111-8111-111111111111');
  t.is(normalizeId('Park_1'), 'Park_1');
});

for (const text of ['', '.', '..', '../a', 'a/b', 'a:b', 'a b', 'a?b', 'ä', '-a', 'a\n', 'a'.repeat(101)])
  test(`${JSON.stringify(text.slice(0, 10))} (${text.length}) ${text === 'a\n' ? 'is trimmed to an id' : 'is no id'}`, (t) => {
    t.is(normalizeId(text), text === 'a\n' ? 'a' : undefined);
  });

test('addresses lose their zone and their IPv6 wrapping', (t) => {
  t.is(normalizeAddress('::ffff:10.0.0.1'), '10.0.0.1');
  t.is(normalizeAddress('::FFFF:10.0.0.1'), '10.0.0.1');
  t.is(normalizeAddress('fe80::1%eth0'), 'fe80::1');
  t.is(normalizeAddress('10.0.0.1'), '10.0.0.1');
});

test('an IPv4 network does not trust IPv6 addresses that only look alike', (t) => {
  const networks = blockListOf(['10.0.0.0/8']);
  t.true(isTrustedPeer(networks, '10.255.0.1'));
  t.false(isTrustedPeer(networks, '::10.0.0.1'));
  t.false(isTrustedPeer(networks, '10.0.0'));
  t.false(isTrustedPeer(blockListOf([]), '10.0.0.1'));
});

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
