import { topics } from '@ranger-relay/contracts';
import test from 'ava';
import { createParkingFlags } from './parking-flags.ts';
import { createParking } from './parking.ts';
import { event, parkA, parkB, record } from './test/events.ts';
import { world } from './test/world.ts';

const records = [record(event(1), 1), record(event(2), 2)];

const anotherProcess = ({ bus, state, clock, context }: ReturnType<typeof world>) => {
  const common = { bus, state, group: 'g', topic: topics.sourceEventsParked.name, clock };
  return createParking({ ...common, flags: createParkingFlags({ ...common, random: context.random }) });
};

test('what is parked keeps its order and its bytes, under the key of the integration', async (t) => {
  const w = world();
  await w.parking.park(parkA, records);
  t.deepEqual(w.published, [
    {
      topic: topics.sourceEventsParked.name,
      records: records.map(({ value, headers }) => ({ key: parkA, value, headers })),
    },
  ]);
});

test('a parked integration is known to every process', async (t) => {
  const w = world();
  await w.parking.park(parkA, records);
  t.true(await anotherProcess(w).parked(parkA));
  t.false(await anotherProcess(w).parked(parkB));
});

test('the flag is lowered when nothing is left, not before', async (t) => {
  const w = world();
  await w.parking.park(parkA, records);
  w.platform.pending = [parkA];
  await w.clock.advance(10_000);
  await w.care.settle();
  t.true(await w.parking.parked(parkA));
  w.platform.pending = [];
  await w.clock.advance(10_000);
  await w.care.settle();
  t.false(await w.parking.parked(parkA));
});

test('an event parked while the flag is being lowered keeps the flag up', async (t) => {
  const w = world();
  await w.parking.park(parkA, records);
  const { pending } = w.bus;
  w.bus.pending = async (topic, group) => {
    const nothing = await pending(topic, group);
    await w.parking.park(parkA, records);
    return nothing;
  };
  await w.clock.advance(10_000);
  await w.care.settle();
  t.true(await w.parking.parked(parkA));
});

test('an emptied store does not lose a flag: it is rebuilt from the topic', async (t) => {
  const w = world();
  await w.parking.park(parkA, records);
  w.state.entries.clear();
  w.platform.pending = [parkA];
  t.true(await w.parking.parked(parkA));
  t.false(await w.parking.parked(parkB));
});

test('a process that died between storing and flagging leaves no gap: the next one looks at the topic', async (t) => {
  const w = world();
  await anotherProcess(w).parked(parkB);
  w.platform.pending = [parkA];
  t.true(await anotherProcess(w).parked(parkA));
});

test('with the store away the topic itself is asked', async (t) => {
  const w = world();
  w.platform.pending = [parkA];
  w.state.away = true;
  t.true(await w.parking.parked(parkA));
  t.false(await w.parking.parked(parkB));
});

test('a flag that the store did not take holds in this process and is raised later', async (t) => {
  const w = world();
  await w.parking.parked(parkA);
  w.state.away = true;
  await w.parking.park(parkA, records);
  w.state.away = false;
  t.true(await w.parking.parked(parkA));
  w.platform.pending = [parkA];
  await w.clock.advance(10_000);
  await w.care.settle();
  t.true(await anotherProcess(w).parked(parkA));
});

test('a publish that failed may have stored events: the integration counts as parked', async (t) => {
  const w = world();
  w.platform.busDown = true;
  await t.throwsAsync(w.parking.park(parkA, records), { message: /cannot store/ });
  t.true(await w.parking.parked(parkA));
});
