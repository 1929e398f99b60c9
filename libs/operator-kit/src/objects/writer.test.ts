import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import type { KubeObject } from '../api/object.ts';
import { gadget, gadgets, gadgetsPath, startHarness } from '../test/harness.ts';
import { createWriter } from './writer.ts';

const ref = { namespace: 'park', name: 'a' };
const wanted = (spec: unknown): KubeObject => gadget('a', spec) as unknown as KubeObject;

test('applying brings what is given, and takes away what was given before', async (t) => {
  const { api } = await startHarness(t);
  const writer = createWriter(api, 'kit');
  await writer.apply(gadgets, wanted({ size: 1, colour: 'red' }));
  const next = await writer.apply(gadgets, wanted({ size: 2 }));
  t.deepEqual(next.spec, { size: 2 });
  t.is(next.metadata.generation, 2);
});

test('applying leaves what others set, and says which fields they own when it wants them', async (t) => {
  const { api, server } = await startHarness(t);
  const writer = createWriter(api, 'kit');
  await writer.apply(gadgets, wanted({ size: 1 }));
  server.call('PATCH', `${gadgetsPath}/a`, { spec: { colour: 'blue', size: 3 } });
  t.deepEqual((await writer.apply(gadgets, wanted({ weight: 5 }))).spec, { size: 3, colour: 'blue', weight: 5 });
  const error = await t.throwsAsync(writer.apply(gadgets, wanted({ size: 1 })));
  t.true(isRelayError(error, 'kube_field_conflict'));
  t.regex(error.message, /\.spec\.size/);
  t.deepEqual((await api.find(gadgets, ref))?.spec, { size: 3, colour: 'blue', weight: 5 });
});

test('nothing is sent when everything that is wanted is there', async (t) => {
  const { api, server } = await startHarness(t);
  const writer = createWriter(api, 'kit');
  const made = await writer.applyChanged(gadgets, wanted({ size: 1 }), undefined);
  const calls = server.requests.length;
  t.is(await writer.applyChanged(gadgets, wanted({ size: 1 }), made), made);
  t.is(server.requests.length, calls);
  t.deepEqual((await writer.applyChanged(gadgets, wanted({ size: 2 }), made)).spec, { size: 2 });
});

test('a status is written once, whole, and only when it changed', async (t) => {
  const { api, server } = await startHarness(t);
  const writer = createWriter(api, 'kit');
  const made = await api.create(gadgets, wanted({ size: 1 }));
  t.is(await writer.writeStatus(gadgets, made, { phase: 'A', gone: 1 }), 'written');
  const read = await api.find(gadgets, ref);
  t.deepEqual(read?.status, { phase: 'A', gone: 1 });
  t.is(read?.metadata.generation, 1);
  const calls = server.requests.length;
  t.is(await writer.writeStatus(gadgets, read as KubeObject, { gone: 1, phase: 'A' }), 'unchanged');
  t.is(server.requests.length, calls);
  await writer.writeStatus(gadgets, read as KubeObject, { phase: 'B' });
  t.deepEqual((await api.find(gadgets, ref))?.status, { phase: 'B' });
});

test('a status that another name wrote is taken over', async (t) => {
  const { api } = await startHarness(t);
  const made = await api.create(gadgets, wanted({}));
  await createWriter(api, 'earlier').writeStatus(gadgets, made, { phase: 'A' });
  const read = (await api.find(gadgets, ref)) as KubeObject;
  t.is(await createWriter(api, 'kit').writeStatus(gadgets, read, { phase: 'B' }), 'written');
});

test('a status that was written since it was read is not written over', async (t) => {
  const { api } = await startHarness(t);
  const writer = createWriter(api, 'kit');
  const made = await api.create(gadgets, wanted({}));
  await writer.writeStatus(gadgets, made, { phase: 'A' });
  const error = await t.throwsAsync(writer.writeStatus(gadgets, made, { phase: 'B' }));
  t.true(isRelayError(error, 'kube_conflict'));
  t.deepEqual((await api.find(gadgets, ref))?.status, { phase: 'A' });
});

test('an object that is gone, or was made anew, is left alone', async (t) => {
  const { api } = await startHarness(t);
  const writer = createWriter(api, 'kit');
  const made = await api.create(gadgets, wanted({}));
  await api.remove(gadgets, ref);
  t.is(await writer.writeStatus(gadgets, made, { phase: 'A' }), 'gone');
  await api.create(gadgets, wanted({}));
  t.is(await writer.writeStatus(gadgets, made, { phase: 'A' }), 'gone');
  t.is((await api.find(gadgets, ref))?.status, undefined);
});

test('a conflict about the object itself is an error, so that it is tried again', async (t) => {
  const { api, server } = await startHarness(t);
  const made = await api.create(gadgets, wanted({}));
  server.faults.onRequest({ kind: 'status', status: 409, reason: 'Conflict' }, { method: 'PATCH' });
  t.true(
    isRelayError(
      await t.throwsAsync(createWriter(api, 'kit').writeStatus(gadgets, made, { phase: 'A' })),
      'kube_conflict',
    ),
  );
});
