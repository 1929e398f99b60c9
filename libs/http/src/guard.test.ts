import { fc, testProp } from '@fast-check/ava';
import { blockListOf } from '@ranger-relay/runtime';
import test from 'ava';
import { AddressRefusal, createGuard, isPrivate, plainAddress, refusalOf } from './guard.ts';

const judged = (address: string): boolean => {
  const plain = plainAddress(address);
  return plain !== undefined && isPrivate(plain);
};

const closed = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:a00:1',
  '::ffff:0:0',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::1',
  '2002:7f00:1::1',
  '2001:0:1::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'ff02::1',
];
const open = [
  '8.8.8.8',
  '100.63.0.1',
  '172.32.0.1',
  '1.1.1.1',
  '2606:4700::1111',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
];

for (const address of closed) test(`${address} is not public`, (t) => t.true(judged(address)));
for (const address of open) test(`${address} is public`, (t) => t.false(judged(address)));

test('what is no address has no plain form', (t) => {
  for (const text of ['', 'localhost', '127.1', '1.2.3', '1.2.3.4.5', '::g', '256.1.1.1'])
    t.is(plainAddress(text), undefined);
});

testProp('an IPv4 address is judged alike in every IPv6 dress', [fc.ipV4()], (t, address) => {
  const hex = address.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  const groups = `${hex[0]}${hex[1]}:${hex[2]}${hex[3]}`;
  for (const dress of [`::ffff:${address}`, `::ffff:${groups}`, `::FFFF:${groups.toUpperCase()}`, `64:ff9b::${groups}`])
    t.is(plainAddress(dress), address, dress);
});

testProp('every address has a plain form that stays itself', [fc.oneof(fc.ipV4(), fc.ipV6())], (t, address) => {
  const plain = plainAddress(address);
  t.truthy(plain);
  t.is(plainAddress(plain ?? ''), plain);
});

const guard = createGuard(blockListOf(['127.0.0.0/8', 'fd00::/8', '8.8.4.4/32']));

test('https goes to public addresses', (t) => {
  t.is(guard.refusal('https:', '8.8.8.8'), undefined);
  t.is(guard.refusal('https:', '2606:4700::1111'), undefined);
});

test('plain http goes to allowed networks only, public or not', (t) => {
  t.is(guard.refusal('http:', '8.8.8.8')?.why, 'scheme');
  t.is(guard.refusal('http:', '8.8.4.4'), undefined);
  t.is(guard.refusal('http:', '127.0.0.1'), undefined);
  t.is(guard.refusal('http:', 'fd00::1'), undefined);
});

test('a private address outside the allowed networks is refused whatever the protocol', (t) => {
  for (const protocol of ['http:', 'https:'] as const) t.is(guard.refusal(protocol, '10.0.0.1')?.why, 'address');
  t.is(guard.refusal('https:', '::1')?.why, 'address');
});

test('a mapped address is allowed when the address it stands for is', (t) => {
  t.is(guard.refusal('http:', '::ffff:127.0.0.1'), undefined);
  t.is(guard.refusal('https:', '::ffff:10.0.0.1')?.why, 'address');
});

test('what is no address is refused', (t) => {
  t.is(guard.refusal('https:', '')?.why, 'address');
  t.is(guard.refusal('https:', 'localhost')?.why, 'address');
});

test('of a name with good and bad addresses only the good ones are left', (t) => {
  const good = guard.admit('https:', [
    { address: '10.0.0.1', family: 4 },
    { address: '8.8.8.8', family: 4 },
  ]);
  t.deepEqual(good, [{ address: '8.8.8.8', family: 4 }]);
});

test('a name with bad addresses only is refused', (t) => {
  const error = t.throws(() => guard.admit('https:', [{ address: '10.0.0.1', family: 4 }]), {
    instanceOf: AddressRefusal,
  });
  t.is(error?.address, '10.0.0.1');
  t.deepEqual(guard.admit('https:', []), []);
});

for (const [address, networks, why] of [
  ['https://api.example', [], null],
  ['http://api.example', [], /^names http:\/\/api\.example, which would be called by plain http/],
  // What the name resolves to decides.
  ['http://api.example', ['10.0.0.0/8'], null],
  ['http://8.8.8.8/path', ['10.0.0.0/8'], /^names http:\/\/8\.8\.8\.8, which would be called by plain http/],
  ['http://10.1.2.3:80', ['10.0.0.0/8'], null],
  ['https://10.1.2.3', [], /a private address/],
  ['https://[::1]:8443', [], /a private address/],
  ['https://user:secret@127.0.0.1', [], /^names https:\/\/127\.0\.0\.1, a private address/],
] as const)
  test(`whether ${address} can be called at all is known from its text, with ${networks.join() || 'no networks'}`, (t) => {
    const refusal = refusalOf(address, networks);
    if (why === null) t.is(refusal, undefined);
    else t.regex(refusal ?? '', why);
  });
