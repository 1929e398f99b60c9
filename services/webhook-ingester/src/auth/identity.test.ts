import test from 'ava';
import { integrationIdOf, normalizeId } from './identity.ts';
import { isTrustedPeer, normalizeAddress } from './peer.ts';
import { blockListOf } from '@ranger-relay/runtime';

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
