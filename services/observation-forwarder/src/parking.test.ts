import type { UndoneLanes } from '@ranger-relay/bus';
import { maybeSentHeader, topics } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { createParking } from './parking.ts';
import { event, parkA, parkB, record } from './test/events.ts';
import { failure, harness, kinds } from './test/harness.ts';

const parkedTopic = topics.sourceEventsParked.name;
const [one, two] = ['300434030000001', '300434030000002'];
const [deviceOne, deviceTwo] = [`${parkA}:${one}`, `${parkA}:${two}`];
const records = [event(1), event(2), event(3, { source: two })].map((each, at) => ({
  record: record(each, at),
  headers: { [maybeSentHeader]: 'yes' },
}));

/** The records as the bus delivers what was parked. */
const parkedRecords = ({ bus }: ReturnType<typeof harness>) =>
  bus.records(parkedTopic).map(({ key, value, headers = {} }, at) => ({
    topic: parkedTopic,
    partition: 3,
    offset: BigInt(at),
    key,
    value: Buffer.from(value),
    headers,
    timestamp: 0,
  }));

test('what is parked keeps its order, its bytes, its age and whether it may have been sent, under the key of its device', async (t) => {
  const w = harness();
  await w.parking.park(records);
  const names = w.bus.records(parkedTopic).map(({ headers }) => headers?.['parked-as']);
  t.is(new Set(names).size, 3);
  t.deepEqual(
    w.bus.records(parkedTopic),
    records.map(({ record: { key, value, timestamp }, headers }, at) => ({
      key,
      value,
      headers: { 'published-at': String(timestamp), ...headers, 'parked-as': names[at] },
    })),
  );
});

test('a device holds from its first append until its last one is done, whatever the bus has read of it meanwhile', async (t) => {
  const w = harness();
  await w.parking.park(records.slice(0, 1));
  await w.parking.park(records.slice(1, 2));
  const [first, second] = parkedRecords(w);
  t.is(w.parking.holds(3, deviceOne), true);
  t.is(w.parking.holds(3, deviceTwo), false);
  if (first) w.parking.finished(first);
  t.is(w.parking.holds(3, deviceOne), true);
  if (second) w.parking.finished(second);
  t.is(w.parking.holds(3, deviceOne), false);
});

test('a device holds until the last of the events that were parked together is done', async (t) => {
  const w = harness();
  await w.parking.park(records);
  const [first, last] = parkedRecords(w);
  if (first) w.parking.finished(first);
  t.is(w.parking.holds(3, deviceOne), true);
  if (last) w.parking.finished(last);
  t.is(w.parking.holds(3, deviceOne), false);
  // Of two, the second is refused for its size.
  const publish = w.bus.publish.bind(w.bus);
  w.bus.publish = async (topic, copies) => {
    await publish(topic, copies.slice(0, 1));
    throw new RelayError('record_too_large', { details: { topic, bytes: 2, limit: 1, stored: 1 } });
  };
  t.deepEqual(await w.parking.park(records.slice(0, 2)), records.slice(1, 2));
  t.is(w.parking.holds(3, deviceOne), true);
  const stored = parkedRecords(w).at(-1);
  if (stored) w.parking.finished(stored);
  t.is(w.parking.holds(3, deviceOne), false);
});

test('what a partition held when it was assigned is asked of the bus; without its answer nothing is known', (t) => {
  const w = harness();
  const parts = { ...w, topic: parkedTopic, random: w.context.random };
  let undone: UndoneLanes | null = null;
  const parking = createParking({ ...parts, undone: () => undone });
  t.is(parking.holds(3, deviceOne), null);
  undone = { has: (lane) => (lane === deviceOne ? true : null), names: () => [deviceOne] };
  t.is(parking.holds(3, deviceOne), true);
  t.is(parking.holds(3, deviceTwo), null);
});

test('a topic that was never there holds nothing; one that cannot be read may hold anything', (t) => {
  const w = harness();
  w.platform.reads = false;
  t.is(w.parking.holds(3, deviceOne), null);
  w.bus.topicProblems = () => [{ topic: parkedTopic, problem: 'it may not be read' }];
  t.is(w.parking.holds(3, deviceOne), null);
  w.bus.topicProblems = () => [{ topic: parkedTopic, problem: 'it is missing', isMissing: true }];
  t.is(w.parking.holds(3, deviceOne), false);
});

test('an append that failed may have stored events: their device counts as parked, unless the topic does not exist', async (t) => {
  const w = harness();
  w.bus.away = true;
  await t.throwsAsync(w.parking.park(records), { message: /cannot store/ });
  t.is(w.parking.holds(3, deviceOne), true);
  const other = harness();
  other.bus.publish = () => Promise.reject(new RelayError('bus_topic_unknown', { details: { topic: parkedTopic } }));
  await t.throwsAsync(other.parking.park(records));
  t.is(other.parking.holds(3, deviceOne), false);
  const deleted = harness();
  await deleted.parking.park(records);
  deleted.bus.publish = other.bus.publish;
  await t.throwsAsync(deleted.parking.park(records));
  t.is(deleted.parking.holds(3, deviceOne), false);
});

test('an append that is refused for its size leaves the device parked by an earlier one that is not done', async (t) => {
  const w = harness();
  await w.parking.park(records.slice(0, 1));
  const [first] = parkedRecords(w);
  w.bus.before = () => {
    throw new RelayError('record_too_large', { details: { topic: parkedTopic, bytes: 2, limit: 1 } });
  };
  t.is((await w.parking.park(records.slice(1, 2))).length, 1);
  t.is(w.parking.holds(3, deviceOne), true);
  if (first) w.parking.finished(first);
  t.is(w.parking.holds(3, deviceOne), false);
});

test('events wait, and none is sent or parked, until it is known which devices have earlier ones on the parked topic', async (t) => {
  const w = harness();
  w.platform.reads = false;
  t.is(kinds(await w.handle([event(1), event(2, { source: two })])), 'retry retry');
  t.deepEqual([w.calls, w.bus.records(parkedTopic)], [[], []]);
  w.platform.reads = true;
  t.is(kinds(await w.handle([event(1), event(2, { source: two })])), 'done done');
});

test('events of a device with parked ones follow them; those of other devices of its integration are sent', async (t) => {
  const w = harness();
  w.platform.parked.add(deviceOne);
  t.is(kinds(await w.handle([event(1), event(2, { source: two }), event(3)])), 'done done done');
  t.deepEqual(w.posted('observation'), [2]);
  t.deepEqual(
    w.bus.records(parkedTopic).map(({ key }) => key),
    [deviceOne, deviceOne],
  );
  await w.handleParked([event(1), event(3)], { records: parkedRecords(w) });
  w.platform.parked.clear();
  t.is(kinds(await w.handle([event(4)])), 'done');
  t.deepEqual(w.posted('observation'), [2, 1, 3, 4]);
});

test('while a platform that takes nothing lets the lane wait, each event is parked once, in order, and none is lost', async (t) => {
  const w = harness();
  await w.parking.park([{ record: record(event(1), 1), headers: {} }]);
  w.platform.script = () => failure.outage();
  const lane = [event(2), event(3, { source: two }), event(4), event(5)];
  t.is(kinds(await w.handle(lane)), 'done retry retry retry');
  for (let n = 0; n < 10; n += 1) {
    await w.clock.advance(10_000);
    t.is(kinds(await w.handle(lane.slice(1))), 'retry retry retry');
  }
  const parked = () => w.bus.values(parkedTopic).map(({ event_id }) => event_id);
  t.deepEqual(parked(), ['event-1', 'event-2']);
  t.regex(await w.context.metrics.render(), /relay_events_parked_total 1\n/);
  w.platform.script = () => undefined;
  await w.clock.advance(61_000);
  t.is(kinds(await w.handle(lane.slice(1))), 'done done done');
  t.deepEqual(parked(), ['event-1', 'event-2', 'event-4', 'event-5']);
  t.regex(await w.context.metrics.render(), /relay_events_parked_total 3\n/);
  await w.handleParked([event(1)], { records: parkedRecords(w), maybeSent: parkedRecords(w).map(() => false) });
  t.deepEqual(w.posted('observation').slice(-5), [3, 1, 2, 4, 5]);
});

test('while the parked topic cannot be used, the later events of a device with parked ones wait, and do not overtake them', async (t) => {
  const w = harness();
  w.platform.parked.add(deviceOne);
  w.bus.topicProblems = () => [{ topic: parkedTopic, problem: 'it may not be written to' }];
  w.bus.before = ({ topic }) => {
    if (topic === parkedTopic) throw new RelayError('bus_unavailable', { details: { reason: 'not authorized' } });
  };
  t.is(kinds(await w.handle([event(1)])), 'retry');
  t.deepEqual(w.posted('observation'), []);
  w.bus.topicProblems = () => [];
  w.bus.before = () => undefined;
  t.is(kinds(await w.handle([event(1)])), 'done');
  t.deepEqual([w.posted('observation'), w.bus.records(parkedTopic).length], [[], 1]);
});

test('a parked event that is dead-lettered ends the wait of its device like one that is sent', async (t) => {
  const w = harness();
  await w.parking.park([{ record: record('{', 1, 'source-events'), headers: {} }]);
  const [damaged] = parkedRecords(w);
  if (!damaged) return t.fail();
  t.is(w.parking.holds(3, damaged.key), true);
  t.is(kinds(await w.handleParked([], { records: [damaged], maybeSent: [false] })), 'dead');
  t.is(w.parking.holds(3, damaged.key), false);
});

test('while an integration fails and others succeed, each of its devices is parked, and their number is shown by integration', async (t) => {
  const w = harness();
  w.platform.script = ({ integrationId }) => (integrationId === parkA ? failure.keyRefused() : undefined);
  await w.handle([event(1)]);
  await w.clock.advance(1);
  await w.handle([event(9, { integration_id: parkB })]);
  t.is(kinds(await w.handle([event(1), event(2, { source: two })])), 'done done');
  t.is(w.parking.holds(3, deviceTwo), true);
});
