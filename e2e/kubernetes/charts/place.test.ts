import test from 'ava';
import { objectsOf } from './objects.ts';
import { at, place } from './place.ts';

const objects = objectsOf(`
kind: Service
metadata: { name: relay-metrics }
spec: { ports: [{ name: health, port: 9090 }] }
---
# nothing but a comment
---
kind: Service
metadata: { name: relay, annotations: { a.b/c: x } }
spec: { type: ClusterIP, mode: 0440, switch: on }
`);

test('a value is found by keys, places in lists, members and quoted keys', (t) => {
  t.is(at({ a: [{ b: { c: 1 } }, { b: { c: 2 }, d: 'x' }] }, 'a[b.c=2].d'), 'x');
  t.is(at({ a: [[1, 2]] }, 'a[0][1]'), 2);
  t.is(at({ a: ['--b', '--c=d.e'] }, 'a[=--c=d.e]'), '--c=d.e');
  t.is(at({ 'a.b/c': { d: 1 } }, '["a.b/c"].d'), 1);
  t.is(at({ 'on-a': 1 }, 'on-a'), 1);
  t.is(at({ a: ['--x', '--y=a/b.c'] }, 'a[=--y=a/b.c]'), '--y=a/b.c');
  for (const nothing of ['b', 'a.b', 'a[1]', 'a[name=x].y']) t.is(at({ a: [] }, nothing), undefined, nothing);
  for (const wrong of ['a..b', 'a[', 'a[x]b']) t.throws(() => at({}, wrong), { message: /is no path/ }, wrong);
});

test('an object is found by its kind, the shortest name first, or by the end of its name', (t) => {
  t.is(place(objects, 'Service#spec.type'), 'ClusterIP');
  t.is(place(objects, 'Service/-metrics#spec.ports[name=health].port'), 9090);
  t.is(place(objects, 'Service#metadata.annotations["a.b/c"]'), 'x');
  t.is(place(objects, 'Service#'), true);
  t.is(place(objects, 'Ingress#'), false);
  t.is(place(objects, 'Ingress#spec'), null);
  t.throws(() => place(objects, 'spec.type'), { message: /is no address/ });
});

test('manifests are read as the API server reads them', (t) => {
  t.is(place(objects, 'Service#spec.mode'), 0o440);
  t.is(place(objects, 'Service#spec.switch'), true);
  t.throws(() => objectsOf('a: b: c'));
});
