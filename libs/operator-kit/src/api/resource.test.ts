import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { gadgets } from '../test/harness.ts';
import { keyOf, refOf } from './object.ts';
import { apiVersionOf, ownerOf, ownerReference, pathOf, type Resource } from './resource.ts';

const pods: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
const nodes: Resource = { ...pods, plural: 'nodes', kind: 'Node', namespaced: false };

test('paths lead to lists, objects and statuses of each group', (t) => {
  t.is(pathOf(pods), '/api/v1/pods');
  t.is(pathOf(pods, { namespace: 'park', name: 'a' }), '/api/v1/namespaces/park/pods/a');
  t.is(pathOf(nodes, { namespace: 'park', name: 'a' }), '/api/v1/nodes/a');
  t.is(pathOf(gadgets, { namespace: 'park' }), '/apis/example.test/v1/namespaces/park/gadgets');
  t.is(
    pathOf(gadgets, { namespace: 'park', name: 'a', subresource: 'status' }),
    '/apis/example.test/v1/namespaces/park/gadgets/a/status',
  );
});

test('no name leads out of its place', (t) => {
  t.is(pathOf(pods, { namespace: 'a/../b', name: '../x?y#z' }), '/api/v1/namespaces/a%2F..%2Fb/pods/..%2Fx%3Fy%23z');
});

test('what is no name makes no path: an empty one would mean all objects', (t) => {
  for (const name of ['', '.', '..']) {
    t.true(
      isRelayError(
        t.throws(() => pathOf(pods, { namespace: 'park', name })),
        'kube_refused',
      ),
      name,
    );
    if (name !== '') t.throws(() => pathOf(pods, { namespace: name, name: 'a' }));
  }
});

test('a key names a place, and a place its key', (t) => {
  for (const key of ['park/a', 'a']) t.is(keyOf(refOf(key)), key);
  t.deepEqual(refOf('park/a'), { namespace: 'park', name: 'a' });
});

const owned = (references: unknown) => ({
  metadata: { name: 'pod', namespace: 'park', ownerReferences: references as [] },
});

test('an owner is found again by what it was named with, in any version of its group', (t) => {
  const owner = { metadata: { namespace: 'park', name: 'a', uid: 'u1' } };
  const reference = ownerReference(gadgets, owner);
  t.deepEqual(reference, { apiVersion: 'example.test/v1', kind: 'Gadget', name: 'a', uid: 'u1', controller: true });
  t.deepEqual(ownerOf(gadgets, owned([reference])), { namespace: 'park', name: 'a' });
  t.deepEqual(ownerOf({ ...gadgets, version: 'v2' }, owned([reference])), { namespace: 'park', name: 'a' });
  t.is(ownerOf(pods, owned([reference])), undefined);
  t.is(ownerOf(gadgets, owned([{ ...reference, controller: false }])), undefined);
  t.is(ownerOf(gadgets, owned([{ ...reference, apiVersion: 'other.test/v1' }])), undefined);
  t.is(ownerOf(gadgets, { metadata: { name: 'pod' } }), undefined);
  t.throws(() => ownerReference(gadgets, { metadata: { name: 'a' } }), { instanceOf: TypeError });
});

test('the core group has no name', (t) => {
  t.is(apiVersionOf(pods), 'v1');
  t.is(apiVersionOf(gadgets), 'example.test/v1');
});
