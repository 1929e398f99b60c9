import test, { type ExecutionContext } from 'ava';
import { gadgets, type KubeHarness, startKubeHarness } from '../test/kube-harness.ts';
import type { KubeObject } from './object.ts';
import { createRecorder, type Recorder } from './recorder.ts';

const object: KubeObject = {
  metadata: { name: 'a', namespace: 'park', uid: 'u1', resourceVersion: '7' },
};
const failed = { type: 'Warning', reason: 'Failed', message: 'the gadget does not turn' } as const;

const start = async (t: ExecutionContext): Promise<{ harness: KubeHarness; recorder: Recorder }> => {
  const harness = await startKubeHarness(t);
  const recorder = createRecorder({ ...harness.context, client: harness.client });
  return { harness, recorder };
};
const events = ({ server }: KubeHarness) => server.store.all('v1/events');

test('an event names its object, who says it, and what', async (t) => {
  const { harness, recorder } = await start(t);
  recorder.record(gadgets, object, failed);
  await harness.until(() => events(harness).length === 1);
  t.like(events(harness)[0], {
    ...failed,
    count: 1,
    source: { component: 'ranger-relay-operator' },
    involvedObject: {
      kind: 'Gadget',
      apiVersion: 'example.test/v1',
      namespace: 'park',
      name: 'a',
      uid: 'u1',
      resourceVersion: '7',
    },
  });
});

test('the same said again is one event with a count, and half an hour later a new one', async (t) => {
  const { harness, recorder } = await start(t);
  for (let n = 0; n < 5; n += 1) recorder.record(gadgets, object, failed);
  recorder.record(gadgets, object, { ...failed, reason: 'Other' });
  await harness.until(() => events(harness).length === 2);
  t.deepEqual(
    events(harness).map(({ reason, count }) => `${String(reason)} ${String(count)}`),
    ['Failed 5', 'Other 1'],
  );
  await harness.clock.advance(1_800_000);
  recorder.record(gadgets, object, failed);
  await harness.until(() => events(harness).length === 3);
});

test('an event that the server has dropped is made anew', async (t) => {
  const { harness, recorder } = await start(t);
  recorder.record(gadgets, object, failed);
  await harness.until(() => events(harness).length === 1);
  const [name] = events(harness).map(({ metadata }) => (metadata as { name: string }).name);
  harness.server.call('DELETE', `/api/v1/namespaces/park/events/${name}`);
  await harness.pass(1_000);
  recorder.record(gadgets, object, failed);
  await harness.pass(1_000);
  recorder.record(gadgets, object, failed);
  await harness.until(() => events(harness).length === 1);
  t.pass();
});

test('nothing waits for events: what cannot be written is counted and dropped', async (t) => {
  const { harness, recorder } = await start(t);
  await harness.server.goDown();
  for (let n = 0; n < 500; n += 1) recorder.record(gadgets, object, { ...failed, message: `message ${n}` });
  const dropped = async () => /relay_kube_events_dropped_total 500/.test(await harness.context.metrics.render());
  for (let n = 0; n < 100 && !(await dropped()); n += 1) await harness.pass(1_000);
  t.true(await dropped());
});

test('messages are cut, and show no secrets of addresses', async (t) => {
  const { harness, recorder } = await start(t);
  const message = `see https://user:pass@host/x?token=canary ${'y'.repeat(5_000)}`;
  recorder.record(gadgets, object, { ...failed, message });
  await harness.until(() => events(harness).length === 1);
  const said = String(events(harness)[0]?.['message']);
  t.true(said.length <= 1_000);
  t.notRegex(said, /pass|canary/);
});

test('at the end what waits is written, as long as there is time', async (t) => {
  const { harness, recorder } = await start(t);
  recorder.record(gadgets, object, failed);
  await recorder.stop(1_000);
  t.is(events(harness).length, 1);
  recorder.record(gadgets, object, { ...failed, reason: 'Later' });
  t.is(events(harness).length, 1);
  const other = await start(t);
  other.harness.server.onRequest({ kind: 'hold' }, { count: 100 });
  other.recorder.record(gadgets, object, failed);
  const stopped = other.recorder.stop(1_000);
  await other.harness.pass(2_000);
  await stopped;
  t.is(events(other.harness).length, 0);
});
