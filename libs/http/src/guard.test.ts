import { blockListOf } from '@ranger-relay/runtime';
import test from 'ava';
import { AddressRefusal, createGuard } from './guard.ts';

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
