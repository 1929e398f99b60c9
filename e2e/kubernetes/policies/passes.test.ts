import test from 'ava';
import type { End, Policy } from './model.ts';
import { passes } from './passes.ts';

const relay = { name: 'relay', labels: { team: 'rangers' } };
const other = { name: 'other', labels: { team: 'none' } };

const pod = (name: string, address: string, namespace = relay, ports = { http: 8_080 }): End => ({
  name,
  address,
  namespace,
  labels: { app: name },
  ports,
});

const a = pod('a', '10.244.0.1');
const b = pod('b', '10.244.0.2');
const stranger = pod('a', '10.244.0.3', other);
const outside: End = { name: 'outside', address: '203.0.113.5' };

const policy = (spec: Partial<Policy['spec']>): Policy => ({
  metadata: { name: 'p', namespace: 'relay' },
  spec: { podSelector: { matchLabels: { app: 'b' } }, ...spec },
});

const calls = (policies: readonly Policy[], from: End, port = 8_080, to = b, protocol = 'TCP'): boolean =>
  passes(policies, { from, to, port, protocol });

const callersFrom = (...peers: NonNullable<NonNullable<Policy['spec']['ingress']>[number]['from']>) =>
  [a, stranger, outside].map((end) => calls([policy({ ingress: [{ from: peers }] })], end));

const selected = (operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist', key: string, values: string[] = []) =>
  calls([policy({ ingress: [{ from: [{ podSelector: { matchExpressions: [{ key, operator, values }] } }] }] })], a);

const through = (ports: NonNullable<NonNullable<Policy['spec']['ingress']>[number]['ports']>, protocol = 'TCP') =>
  [8_080, 8_081].map((port) => calls([policy({ ingress: [{ ports }] })], a, port, b, protocol));

test('without a policy everything passes', (t) => {
  for (const from of [a, stranger, outside]) t.true(calls([], from));
});

test('a policy without rules denies what it is about, in its directions alone', (t) => {
  const deny = policy({ policyTypes: ['Ingress'] });
  for (const from of [a, stranger, outside]) t.false(calls([deny], from));
  t.true(passes([deny], { from: b, to: a, port: 1 }));
  t.true(passes([deny], { from: a, to: stranger, port: 1 }));
  const both = policy({ policyTypes: ['Ingress', 'Egress'] });
  t.false(passes([both], { from: b, to: a, port: 1 }));
  t.false(passes([both], { from: b, to: outside, port: 443 }));
});

test('directions that are not named follow from the rules', (t) => {
  t.true(passes([policy({ ingress: [] })], { from: b, to: a, port: 1 }));
  t.false(passes([policy({ egress: [] })], { from: b, to: a, port: 1 }));
  t.false(calls([policy({ egress: [{}] })], a));
});

test('a policy of another namespace is about nobody here', (t) => {
  const elsewhere = { ...policy({ podSelector: {} }), metadata: { name: 'p', namespace: 'other' } };
  t.true(calls([elsewhere], a));
});

test('one rule of one policy is enough', (t) => {
  const policies = [policy({}), policy({ ingress: [{ from: [{ podSelector: { matchLabels: { app: 'a' } } }] }] })];
  t.true(calls(policies, a));
  t.false(calls(policies, stranger));
  t.false(calls(policies, outside));
});

test('peers are pods of the same namespace, of others, both at once, or addresses', (t) => {
  t.deepEqual(callersFrom({ podSelector: {} }), [true, false, false]);
  t.deepEqual(callersFrom({ namespaceSelector: {} }), [true, true, false]);
  t.deepEqual(callersFrom({ namespaceSelector: { matchLabels: { team: 'none' } } }), [false, true, false]);
  t.deepEqual(
    callersFrom({ namespaceSelector: { matchLabels: { team: 'none' } }, podSelector: { matchLabels: { app: 'x' } } }),
    [false, false, false],
  );
  t.deepEqual(callersFrom({ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8'] } }), [false, false, true]);
  t.deepEqual(callersFrom({ ipBlock: { cidr: '::/0' } }), [false, false, false]);
  t.deepEqual(callersFrom(), [true, true, true]);
});

test('labels are compared, listed, there, or not there', (t) => {
  t.deepEqual(
    [selected('In', 'app', ['a', 'z']), selected('In', 'app', ['z']), selected('In', 'no', ['a'])],
    [true, false, false],
  );
  t.deepEqual([selected('NotIn', 'app', ['a']), selected('NotIn', 'no', ['a'])], [false, true]);
  t.deepEqual([selected('Exists', 'app'), selected('Exists', 'no')], [true, false]);
  t.deepEqual([selected('DoesNotExist', 'app'), selected('DoesNotExist', 'no')], [false, true]);
});

test('ports are numbers, ranges or names of the called pod, of one protocol', (t) => {
  t.deepEqual(through([{ port: 8_080 }]), [true, false]);
  t.deepEqual(through([{ port: 8_080 }], 'UDP'), [false, false]);
  t.deepEqual(through([{ port: 8_080, protocol: 'UDP' }], 'UDP'), [true, false]);
  t.deepEqual(through([{ port: 8_000, endPort: 9_000 }]), [true, true]);
  t.deepEqual(through([{ port: 'http' }]), [true, false]);
  t.deepEqual(through([{ port: 'nothing' }]), [false, false]);
  t.deepEqual(through([{ protocol: 'TCP' }]), [true, true]);
  t.deepEqual(through([]), [true, true]);
});

test('both ends must agree', (t) => {
  const out = policy({ podSelector: {}, policyTypes: ['Egress'], egress: [{ to: [{ podSelector: {} }] }] });
  const deny = policy({ policyTypes: ['Ingress'] });
  t.true(passes([out], { from: a, to: b, port: 1 }));
  t.false(passes([out], { from: a, to: outside, port: 1 }));
  t.false(passes([out, deny], { from: a, to: b, port: 1 }));
});
