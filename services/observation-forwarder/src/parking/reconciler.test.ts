import test from 'ava';
import { event, parkA, record } from '../test/events.ts';
import { memorySpace } from '@ranger-relay/kv/testing';
import { manualClock } from '@ranger-relay/runtime/testing';
import { harness } from '../test/harness.ts';

const records = [{ record: record(event(1), 1), headers: {} }];

/** Two processes on one store; `looks` counts what the first asked of the topic. */
const two = () => {
  const clock = manualClock();
  const state = memorySpace(clock);
  const w = harness({ clock, state });
  const other = harness({ clock, state });
  const looks = { count: 0 };
  const { pending } = w.bus;
  w.bus.pending = (...args) => {
    looks.count += 1;
    return pending(...args);
  };
  const settleFor = async (seconds: number): Promise<void> => {
    for (let n = 0; n < seconds; n += 1) {
      await clock.advance(1_000);
      await w.reconciler.reconcile();
    }
  };
  return { w, other, clock, state, looks, settleFor };
};

test('while no flag was met, the topic is not asked', async (t) => {
  const { looks, settleFor } = two();
  await settleFor(300);
  t.is(looks.count, 0);
});

test('the topic is asked less and less while nothing changes, and soon again after an append', async (t) => {
  const { w, looks, settleFor } = two();
  await w.parking.park(parkA, records);
  w.platform.pending = [parkA];
  looks.count = 0;
  await settleFor(16);
  t.true(looks.count >= 4 && looks.count <= 6, String(looks.count));
  looks.count = 0;
  await settleFor(60);
  t.is(looks.count, 6);
  await settleFor(3);
  await w.parking.park(parkA, records);
  looks.count = 0;
  await settleFor(2);
  t.true(looks.count >= 1);
});

test('the flag of a process that died is lowered by another once nothing is parked, and not before', async (t) => {
  const { w, other, state, settleFor } = two();
  await other.parking.park(parkA, records);
  w.platform.pending = [parkA];
  await settleFor(120);
  t.truthy(await state.get(`parked.${parkA}`));
  t.true(await w.parking.parked(parkA));
  w.platform.pending = [];
  await settleFor(11);
  t.is(await state.get(`parked.${parkA}`), null);
});

test('the flag of a process that died is cleared by whoever sends its parked events', async (t) => {
  const { w, other, state, settleFor } = two();
  await w.parking.parked(parkA);
  await other.parking.park(parkA, records);
  w.platform.pending = [parkA];
  await w.handleParked([event(1)]);
  await settleFor(2);
  t.truthy(await state.get(`parked.${parkA}`));
  w.platform.pending = [];
  await settleFor(11);
  t.is(await state.get(`parked.${parkA}`), null);
});

test('a parked flag that the store has lost is raised again while something is parked', async (t) => {
  const { w, state, settleFor } = two();
  await w.parking.park(parkA, records);
  w.platform.pending = [parkA];
  await state.delete(`parked.${parkA}`);
  await settleFor(3);
  t.truthy(await state.get(`parked.${parkA}`));
});
