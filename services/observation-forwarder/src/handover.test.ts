import { topics } from '@ranger-relay/contracts';
import type { KvSpace } from '@ranger-relay/kv';
import test from 'ava';
import { deliveredOf } from './delivered.ts';
import { event, parkB } from './test/events.ts';
import { memorySpace } from '@ranger-relay/kv/testing';
import { manualClock } from '@ranger-relay/runtime/testing';
import { failure, kinds, harness } from './test/harness.ts';

/** A world whose partition is handed over while a call of the store with this key is on its way. */
const handedOverDuring = (prefix: string) => {
  const clock = manualClock();
  const state = memorySpace(clock);
  const handover = new AbortController();
  const { get } = state;
  state.get = (key) => {
    if (key.startsWith(prefix)) handover.abort();
    return get(key);
  };
  return { ...harness({ clock, state }), signal: handover.signal };
};

for (const [what, prefix] of [
  ['what was delivered', 'device.'],
  ['counts', 'accepted.'],
] as const)
  test(`a batch that waits for ${what} while its partition is handed over sends nothing and keeps nothing`, async (t) => {
    const w = handedOverDuring(prefix);
    t.is(kinds(await w.handle([event(1, { text: 'a' }), event(2)], { signal: w.signal })), 'retry retry');
    t.deepEqual(w.calls, []);
    t.deepEqual(await w.state.list('device.'), []);
  });

test('a call that is open when the partition is handed over is finished and recorded, and its heir sends the rest alone', async (t) => {
  const w = harness();
  const handover = new AbortController();
  w.platform.script = async () => {
    handover.abort();
    await w.clock.advance(20_000);
    return undefined;
  };
  const handling = w.handle([event(1, { text: 'a' }), event(2)], { signal: handover.signal });
  t.is(kinds(await handling), 'retry done');
  t.is(await deliveredOf(w.state, event(1)), 'observation');
  t.is(await deliveredOf(w.state, event(2)), 'done');
  const heir = harness({ state: w.state, clock: w.clock });
  t.is(kinds(await heir.handle([event(1, { text: 'a' }), event(2)])), 'done done');
  t.deepEqual([heir.posted('observation'), heir.posted('message')], [[], [1]]);
});

test('a batch whose partition is handed over is not parked by the one that lost it', async (t) => {
  const w = harness();
  await w.handle([event(1, { integration_id: parkB })]);
  const handover = new AbortController();
  w.platform.script = () => {
    handover.abort();
    return failure.keyRefused();
  };
  t.is(kinds(await w.handle([event(2)], { signal: handover.signal })), 'retry');
  t.deepEqual(w.bus.records(topics.sourceEventsParked.name), []);
});

test('dead letters of a batch are not written on when its partition is handed over', async (t) => {
  const w = harness();
  const handover = new AbortController();
  w.platform.script = () => {
    handover.abort();
    return failure.gone();
  };
  t.is(kinds(await w.handle([event(1), event(2)], { signal: handover.signal })), 'retry retry');
  t.deepEqual(w.letters(), []);
  t.deepEqual(await w.state.list('device.'), []);
});

/** Counts what travels together: calls that are made before the microtasks behind the first one have run. */
const countingTrips = (state: KvSpace) => {
  const trips = { count: 0 };
  let open = false;
  const counted = new Proxy(state, {
    get:
      (target, op: keyof KvSpace) =>
      (...args: never[]) => {
        if (!open) {
          open = true;
          trips.count += 1;
          queueMicrotask(() => (open = false));
        }
        return (target[op] as (...all: never[]) => unknown)(...args);
      },
  });
  return { trips, counted };
};

test('a batch costs the store at most one round trip per ten events, texts, failures and takeovers included', async (t) => {
  const clock = manualClock();
  const state = memorySpace(clock);
  const { trips, counted } = countingTrips(state);
  const w = harness({ clock, state: counted as typeof state });
  const events = Array.from({ length: 200 }, (_, n) => event(n, n % 2 === 0 ? { text: 'a' } : {}));
  const tripsOf = async (outcome: 'done' | 'retry'): Promise<void> => {
    trips.count = 0;
    const outcomes = await w.handle(events);
    t.is(outcomes[0]?.kind, outcome);
    t.true(trips.count > 0 && trips.count <= events.length / 10, String(trips.count));
  };
  w.platform.script = ({ part }) => (part === 'message' ? failure.outage() : undefined);
  await tripsOf('retry');
  w.platform.script = () => undefined;
  await clock.advance(5_000);
  await tripsOf('done');
  await tripsOf('done');
});
