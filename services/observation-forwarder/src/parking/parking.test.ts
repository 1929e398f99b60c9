import { topics } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { beginEpoch, epochKey, epochTime } from '@ranger-relay/kv';
import test from 'ava';
import { createParkingFlags } from './flags.ts';
import { createParking, parkedLane } from './parking.ts';
import { event, parkA, parkB, record } from '../test/events.ts';
import { harness, kinds } from '../test/harness.ts';

const parkedTopic = topics.sourceEventsParked.name;
const records = [record(event(1), 1), record(event(2), 2)].map((one) => ({ record: one, headers: {} }));

const anotherProcess = ({ bus, state, clock, context }: ReturnType<typeof harness>, generation = () => 0) => {
  const common = {
    bus,
    state,
    generation,
    group: 'g',
    topic: topics.sourceEventsParked.name,
    clock,
    random: context.random,
  };
  return createParking({ ...common, flags: createParkingFlags(common) });
};

test('what is parked keeps its order, its bytes and its age, under the key of the integration', async (t) => {
  const w = harness();
  await w.parking.park(parkA, records);
  t.is(w.bus.published.length, 1);
  t.deepEqual(
    w.bus.records(topics.sourceEventsParked.name),
    records.map(({ record: { value, timestamp } }) => ({
      key: parkA,
      value,
      headers: { 'published-at': String(timestamp), source: '300434030000001' },
    })),
  );
});

test('a parked integration is known to every process', async (t) => {
  const w = harness();
  await w.parking.park(parkA, records);
  t.true(await anotherProcess(w).parked(parkA));
  t.false(await anotherProcess(w).parked(parkB));
});

test('the flag is lowered when nothing is left, not before', async (t) => {
  const w = harness();
  await w.parking.park(parkA, records);
  w.platform.pending = [parkA];
  await w.clock.advance(10_000);
  await w.reconciler.reconcile();
  t.true(await w.parking.parked(parkA));
  w.platform.pending = [];
  await w.clock.advance(10_000);
  await w.reconciler.reconcile();
  t.false(await w.parking.parked(parkA));
});

test('an event parked while the flag is being lowered keeps the flag up', async (t) => {
  const w = harness();
  await w.parking.park(parkA, records);
  const { pending } = w.bus;
  w.bus.pending = async (topic, group) => {
    const nothing = await pending(topic, group);
    await w.parking.park(parkA, records);
    return nothing;
  };
  await w.clock.advance(10_000);
  await w.reconciler.reconcile();
  t.true(await w.parking.parked(parkA));
});

test('an emptied store does not lose a flag: it is rebuilt from the topic', async (t) => {
  const w = harness();
  await w.parking.park(parkA, records);
  w.state.entries.clear();
  w.platform.pending = [parkA];
  t.true(await w.parking.parked(parkA));
  t.false(await w.parking.parked(parkB));
});

test('a flag that a fail-over of the store has lost is up again before its absence counts, and what was remembered is not trusted', async (t) => {
  const w = harness();
  let generation = 0;
  const parking = anotherProcess(w, () => generation);
  t.false(await parking.parked(parkA));
  await w.clock.advance(60_000);
  const epoch = epochTime(w.state.entries.get(epochKey)?.value);
  w.platform.pending = [parkA];
  generation += 1;
  t.true(await parking.parked(parkA));
  t.false(await parking.parked(parkB));
  t.is(epochTime(w.state.entries.get(epochKey)?.value), epoch + 60_000);
});

test('an epoch that another process began tells nothing about the flags: they are restored, and the store remembers since then', async (t) => {
  const w = harness();
  const parking = anotherProcess(w);
  t.false(await parking.parked(parkA));
  w.state.entries.clear();
  await beginEpoch(w.state, w.clock);
  const since = w.clock.now();
  await w.clock.advance(60_000);
  w.platform.pending = [parkA];
  t.true(await parking.parked(parkA));
  t.is(epochTime(w.state.entries.get(epochKey)?.value), since);
});

test('a process that died between storing and flagging leaves no gap: the next one looks at the topic', async (t) => {
  const w = harness();
  await anotherProcess(w).parked(parkB);
  w.platform.pending = [parkA];
  t.true(await anotherProcess(w).parked(parkA));
});

test('with the store away the topic itself is asked', async (t) => {
  const w = harness();
  w.platform.pending = [parkA];
  w.state.away = true;
  t.true(await w.parking.parked(parkA));
  t.false(await w.parking.parked(parkB));
});

test('a flag that the store did not take holds in this process and is raised later', async (t) => {
  const w = harness();
  await w.parking.parked(parkA);
  w.state.away = true;
  await w.parking.park(parkA, records);
  w.state.away = false;
  t.true(await w.parking.parked(parkA));
  w.platform.pending = [parkA];
  await w.clock.advance(10_000);
  await w.reconciler.reconcile();
  t.true(await anotherProcess(w).parked(parkA));
});

test('a publish that failed may have stored events: the integration counts as parked', async (t) => {
  const w = harness();
  w.bus.away = true;
  await t.throwsAsync(w.parking.park(parkA, records), { message: /cannot store/ });
  t.true(await w.parking.parked(parkA));
});

test('a flag that the store has lost does not let later events overtake: the topic is asked', async (t) => {
  const w = harness();
  await w.parking.park(parkA, records);
  w.platform.pending = [parkA];
  await w.state.delete(`parked.${parkA}`);
  t.true(await w.parking.parked(parkA));
});

test('each source is a lane of its own', (t) => {
  t.is(parkedLane({ key: parkA, headers: { source: 'b:c' } }), `${parkA}:b:c`);
  t.is(parkedLane({ key: parkA, headers: {} }), `${parkA}:`);
});

test('an epoch that cannot be read is replaced by one that tells since when the store remembers', async (t) => {
  const w = harness();
  await w.state.set(epochKey, 'an-old-token');
  t.false(await w.parking.parked(parkA));
  t.is(epochTime(await w.state.get(epochKey)), w.clock.now());
  t.is(epochTime('an-old-token'), Infinity);
});

test('one broker that does not know the parked topic is not believed: the events wait until another look agrees', async (t) => {
  const w = harness();
  w.bus.pending = () => Promise.reject(new RelayError('bus_topic_unknown', { details: { topic: parkedTopic } }));
  t.is(kinds(await w.handle([event(1)])), 'retry');
  w.bus.topicProblems = () => [{ topic: parkedTopic, problem: 'it is missing' }];
  t.is(kinds(await w.handle([event(1)])), 'done');
});
