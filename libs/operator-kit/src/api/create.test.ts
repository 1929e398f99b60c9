import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { gadget, gadgets, gadgetsPath, startHarness } from '../test/harness.ts';
import type { KubeObject } from './object.ts';

const asObject = (value: unknown): KubeObject => value as KubeObject;
const ref = { namespace: 'park', name: 'a' };
const codeOf = (error: unknown): string => (isRelayError(error) ? error.code : String(error));

test('an object is made, found, written over and deleted', async (t) => {
  const { api } = await startHarness(t);
  t.is(await api.find(gadgets, ref), undefined);
  const made = await api.create(gadgets, asObject(gadget('a', { n: 1 })));
  t.deepEqual(await api.find(gadgets, ref), made);
  const next = await api.replace(gadgets, { ...made, spec: { n: 2 } });
  t.is(next.metadata.generation, 2);
  t.true(await api.remove(gadgets, ref));
  t.false(await api.remove(gadgets, ref));
});

test('the kind of an object need not be said', async (t) => {
  const { api } = await startHarness(t);
  const made = await api.create(gadgets, { metadata: { namespace: 'park', name: 'a' } });
  t.like(made, { kind: 'Gadget', apiVersion: 'example.test/v1' });
});

test('nobody writes over what he has not seen', async (t) => {
  const { api, server } = await startHarness(t);
  const made = await api.create(gadgets, asObject(gadget('a')));
  server.call('PATCH', `${gadgetsPath}/a`, { spec: { by: 'another' } });
  t.is(codeOf(await t.throwsAsync(api.replace(gadgets, { ...made, spec: {} }))), 'kube_conflict');
  t.is(codeOf(await t.throwsAsync(api.create(gadgets, asObject(gadget('a'))))), 'kube_exists');
});

test('an object is deleted only as long as it is as it was seen, when that is asked for', async (t) => {
  const { api, server } = await startHarness(t);
  const { metadata } = await api.create(gadgets, asObject(gadget('a')));
  const { uid, resourceVersion } = metadata;
  server.call('PATCH', `${gadgetsPath}/a`, { spec: { by: 'another' } });
  t.false(await api.remove(gadgets, ref, { uid, resourceVersion }));
  t.true(await api.remove(gadgets, ref, { uid }));
});

test('an object is deleted only as long as it is the one that is meant', async (t) => {
  const { api, server } = await startHarness(t);
  const { metadata } = await api.create(gadgets, asObject(gadget('a')));
  t.true(await api.remove(gadgets, ref, { uid: metadata.uid }));
  await api.create(gadgets, asObject(gadget('a')));
  t.false(await api.remove(gadgets, ref, { uid: metadata.uid }));
  t.truthy(server.store.get('example.test/v1/gadgets', 'park/a'));
});

test('a merge patch changes what it names, and takes away what it names null', async (t) => {
  const { api } = await startHarness(t);
  await api.create(gadgets, asObject(gadget('a', { keep: 1, drop: 2 })));
  const patched = await api.merge(gadgets, ref, { spec: { drop: null, add: 3 } });
  t.deepEqual(patched.spec, { keep: 1, add: 3 });
});

test('applying brings what is given, and takes away what was given before', async (t) => {
  const { api } = await startHarness(t);
  const apply = (spec: unknown) => api.apply(gadgets, asObject(gadget('a', spec)), { fieldManager: 'kit' });
  await apply({ size: 1, colour: 'red' });
  const next = await apply({ size: 2 });
  t.deepEqual(next.spec, { size: 2 });
  t.is(next.metadata.generation, 2);
});

test('applying leaves what others set, and says which fields they own when it wants them', async (t) => {
  const { api, server } = await startHarness(t);
  const apply = (spec: unknown) => api.apply(gadgets, asObject(gadget('a', spec)), { fieldManager: 'kit' });
  await apply({ size: 1 });
  server.call('PATCH', `${gadgetsPath}/a`, { spec: { colour: 'blue', size: 3 } });
  t.deepEqual((await apply({ weight: 5 })).spec, { size: 3, colour: 'blue', weight: 5 });
  const error = await t.throwsAsync(apply({ size: 1 }));
  t.is(codeOf(error), 'kube_field_conflict');
  t.regex(error.message, /\.spec\.size/);
  t.deepEqual((await api.find(gadgets, ref))?.spec, { size: 3, colour: 'blue', weight: 5 });
});

test('a list comes in parts that belong together', async (t) => {
  const { api, server } = await startHarness(t);
  for (const name of ['a', 'b', 'c']) server.call('POST', gadgetsPath, gadget(name));
  const first = await api.list(gadgets, { limit: 2 });
  server.call('POST', gadgetsPath, gadget('d'));
  const second = await api.list(gadgets, { limit: 2, from: first.next ?? '' });
  t.deepEqual(
    [...first.items, ...second.items].map(({ metadata }) => metadata.name),
    ['a', 'b', 'c'],
  );
  t.is(second.resourceVersion, first.resourceVersion);
  t.is(second.next, undefined);
  server.compact();
  t.is(codeOf(await t.throwsAsync(api.list(gadgets, { limit: 2, from: first.next ?? '' }))), 'kube_version_gone');
});

test('a list of nothing may say null', async (t) => {
  const { api, transport } = await startHarness(t);
  t.deepEqual((await api.list(gadgets, { limit: 5 })).items, []);
  const { createKubeApi } = await import('./create.ts');
  const answering = (body: unknown) =>
    createKubeApi({
      transport: { ...transport, call: () => Promise.resolve(body) },
      metrics: { count: () => undefined },
    });
  const page = await answering({ metadata: { resourceVersion: '5' }, items: null }).list(gadgets, { limit: 5 });
  t.deepEqual(page, { items: [], resourceVersion: '5', next: undefined });
  for (const odd of [undefined, {}, { metadata: {}, items: [] }, { metadata: { resourceVersion: '1' }, items: [{}] }])
    t.is(codeOf(await t.throwsAsync(answering(odd).list(gadgets, { limit: 5 }))), 'kube_answer_unreadable');
});

test('every call is counted by what became of it', async (t) => {
  const { api, server, context } = await startHarness(t);
  await api.find(gadgets, ref);
  await api.create(gadgets, asObject(gadget('a')));
  server.faults.onRequest({ kind: 'status', status: 429 });
  await t.throwsAsync(api.find(gadgets, ref));
  const text = await context.metrics.render();
  for (const line of [
    'relay_kube_calls_total{verb="get",outcome="kube_not_found"} 1',
    'relay_kube_calls_total{verb="create",outcome="ok"} 1',
    'relay_kube_calls_total{verb="get",outcome="kube_throttled"} 1',
  ])
    t.true(text.includes(line), line);
});
