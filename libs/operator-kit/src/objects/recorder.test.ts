import { fc, testProp } from '@fast-check/ava';
import test, { type ExecutionContext } from 'ava';
import type { KubeObject } from '../api/object.ts';
import { gadget, gadgets, startHarness, type Harness } from '../test/harness.ts';
import { createEventBook, createRecorder, type Occurrence, type Recorder } from './recorder.ts';

const said: Occurrence = { type: 'Warning', reason: 'Failed', message: 'why' };
const minute = 60_000;

test('the same is one event, whose count is written once a minute', (t) => {
  const book = createEventBook();
  const entry = book.note('a', said, 0);
  t.is(entry.kind, 'new');
  t.is(book.note('a', said, 1).kind, 'none');
  if (entry.kind === 'new') book.written(entry.id, 'event-1');
  t.is(book.note('a', said, minute - 1).kind, 'none');
  t.like(book.note('a', said, minute), { kind: 'count', name: 'event-1', count: 4 });
  t.is(book.note('a', said, minute + 1).kind, 'none');
});

test('what differs in object, type, reason or message is another event', (t) => {
  const book = createEventBook();
  book.note('a', said, 0);
  for (const [object, other] of [
    ['b', said],
    ['a', { ...said, type: 'Normal' as const }],
    ['a', { ...said, reason: 'Other' }],
    ['a', { ...said, message: 'because' }],
  ] as const)
    t.is(book.note(object, other, 1).kind, 'new');
});

test('half an hour later it is a new event, and one that could not be written is, too', (t) => {
  const book = createEventBook();
  const entry = book.note('a', said, 0);
  t.is(book.note('a', said, 30 * minute).kind, 'new');
  if (entry.kind === 'new') book.forget(entry.id);
  t.is(book.note('a', said, 30 * minute + 1).kind, 'new');
});

testProp(
  'what is remembered is bounded',
  [fc.integer({ min: 1_001, max: 3_000 })],
  (t, count) => {
    const book = createEventBook();
    for (let n = 0; n < count; n += 1) book.note(`a${n}`, said, n);
    t.is(book.note('a0', said, count).kind, 'new');
    t.is(book.note(`a${count - 1}`, said, count).kind, 'none');
  },
  { numRuns: 20 },
);

const object: KubeObject = {
  ...gadget('a'),
  metadata: { name: 'a', namespace: 'park', uid: 'u1', resourceVersion: '7' },
};
const failed = { type: 'Warning', reason: 'Failed', message: 'the gadget does not turn' } as const;

const start = async (t: ExecutionContext): Promise<{ harness: Harness; recorder: Recorder }> => {
  const harness = await startHarness(t);
  const { clock, random, log, metrics } = harness.context;
  const recorder = createRecorder({
    api: harness.api,
    clock,
    random,
    log,
    metrics,
    component: 'kit',
    namespace: 'system',
  });
  return { harness, recorder };
};
const events = ({ server }: Harness) => server.store.all('v1/events');

test('an event names its object, who says it, and what', async (t) => {
  const { harness, recorder } = await start(t);
  recorder.record(gadgets, object, failed);
  await harness.until(() => events(harness).length === 1);
  t.like(events(harness)[0], {
    ...failed,
    count: 1,
    source: { component: 'kit' },
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

test('the same said a hundred times is one event and few calls', async (t) => {
  const { harness, recorder } = await start(t);
  for (let n = 0; n < 100; n += 1) {
    recorder.record(gadgets, object, failed);
    await harness.pass(2_000, 2_000);
  }
  t.is(events(harness).length, 1);
  t.true(Number(events(harness)[0]?.['count']) >= 60);
  t.true(harness.server.requests.length <= 5);
});

test('an event that the server has dropped is made anew', async (t) => {
  const { harness, recorder } = await start(t);
  recorder.record(gadgets, object, failed);
  await harness.until(() => events(harness).length === 1);
  const [name] = events(harness).map(({ metadata }) => (metadata as { name: string }).name);
  harness.server.call('DELETE', `/api/v1/namespaces/park/events/${name}`);
  await harness.pass(61_000, 5_000);
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
  await harness.pass(2_000);
  t.regex(await harness.context.metrics.render(), /relay_kube_events_dropped_total 500/);
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
  other.harness.server.faults.onRequest({ kind: 'hold' }, { count: 100 });
  other.recorder.record(gadgets, object, failed);
  const stopped = other.recorder.stop(1_000);
  await other.harness.pass(1_100);
  await stopped;
  t.is(events(other.harness).length, 0);
});
