import { topics } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import { manualClock } from '@ranger-relay/runtime/testing';
import { event, parkA, parkB } from './events.ts';
import { memorySpace } from '@ranger-relay/kv/testing';
import { smallBus, type Queue } from './small-bus.ts';
import { failure, harness } from './harness.ts';

/** What the steps of a schedule do; `size` counts records where it matters. */
export type ReplicaAction =
  /** Deliver source events, or parked ones; `Uncommitted` ones come again after the partition changes hands. */
  | 'source'
  | 'parked'
  | 'parkedUncommitted'
  /** Deliver source events while the next append takes nearly its whole deadline; other steps go on meanwhile. */
  | 'sourceSlowly'
  | 'arrive'
  | 'break'
  | 'repair'
  /** Kill the process that has the partitions; another takes over. */
  | 'kill'
  /** Hand them over while their process lives on. */
  | 'move'
  /** Let a day pass. */
  | 'day'
  | 'storeEmptied'
  | 'storeAway'
  | 'storeBack';

export interface Step {
  readonly act: ReplicaAction;
  readonly size: number;
}

/** What came of a schedule. */
export interface Told {
  /** Numbers of the events whose observation the platform took, in order. */
  readonly taken: readonly number[];
  readonly arrived: number;
  /** The store failed, so that repeats are possible. */
  readonly troubled: boolean;
  /** Whether the last owner still takes its device for parked. */
  readonly held: boolean | null;
  /** Records still waiting when all is over. */
  readonly left: number;
}

const publishMs = 3_900;
/** Marks live for 6 days: longer schedules would only test their end. */
const maxDays = 3;

/** A store that a process which was killed cannot reach any more. */
const whileAlive = (state: KvSpace, life: { dead: boolean }): KvSpace =>
  new Proxy(state, {
    get:
      (target, name: keyof KvSpace) =>
      (...args: never[]) =>
        life.dead ? new Promise(() => undefined) : (target[name] as (...all: never[]) => unknown)(...args),
  });

/**
 * Forwarder processes take turns at the partition of one device and at what is parked of it. Its integration fails now and then while another one works.
 * Runs the steps, then lets everything come to its end.
 */
export const runReplicas = async (steps: readonly Step[]): Promise<Told> => {
  const clock = manualClock();
  const state = memorySpace(clock);
  const bus = smallBus(clock);
  const taken: number[] = [];
  const inFlight = new Set<Promise<unknown>>();
  let broken = false;
  let slow = false;
  let arrived = 0;
  let started = 0;
  let days = 0;
  let troubled = false;

  const start = () => {
    const life = { dead: false };
    started += 1;
    const w = harness({ clock, state: whileAlive(state, life) as typeof state });
    w.platform.script = ({ integrationId, part, items }) => {
      if (integrationId === parkB) return undefined;
      if (broken) return failure.keyRefused();
      if (part === 'observation') taken.push(...items.map(({ additional }) => additional['n'] as number));
      return undefined;
    };
    w.bus.publish = async (topic, records) => {
      const wait = slow;
      slow = false;
      if (wait) await clock.sleep(publishMs);
      bus.append(bus.parked, topic, records);
      if (life.dead) await new Promise(() => undefined);
    };
    Object.assign(w.platform.parked, { has: bus.undone.has });
    return { ...w, life };
  };

  let owner = start();
  let resting = start();

  /** Whoever takes the partitions over waits for nothing that the one before had begun. */
  const reassign = (to: typeof owner): void => {
    owner = to;
    bus.reassign(bus.source);
    bus.reassign(bus.parked);
    inFlight.clear();
  };

  const move = (): void => {
    const before = owner;
    reassign(resting);
    resting = before;
  };

  const kill = (): void => {
    owner.life.dead = true;
    reassign(start());
  };

  /** The other integration succeeds, so that the fault is known to be confined. */
  const neighbour = async (): Promise<void> => {
    const id = `other-${clock.monotonic()}-${started}`;
    await owner.handle([event(100_000, { integration_id: parkB, event_id: id })]);
  };

  const deliver = (queue: Queue, size: number, commit = true): Promise<void> =>
    queue === bus.source
      ? bus.deliver(queue, owner.handlers.live, parkA, size, commit)
      : bus.deliver(queue, owner.handlers.parked, parkA, size, commit);

  const deliverSlowly = async (size: number): Promise<void> => {
    if (inFlight.size > 0) return;
    await neighbour();
    slow = true;
    const delivery = deliver(bus.source, size);
    inFlight.add(delivery);
    void delivery.finally(() => inFlight.delete(delivery)).catch(() => undefined);
    await clock.advance(0);
    slow = false;
  };

  const act: Record<ReplicaAction, (size: number) => unknown> = {
    source: async (size) => {
      if (inFlight.size > 0) return;
      await neighbour();
      await deliver(bus.source, size);
    },
    sourceSlowly: deliverSlowly,
    parked: (size) => deliver(bus.parked, size),
    parkedUncommitted: (size) => deliver(bus.parked, size, false),
    arrive: (size) => {
      const records = Array.from({ length: size }, (_, index) => JSON.stringify(event(arrived + index)));
      bus.append(
        bus.source,
        topics.sourceEvents.name,
        records.map((value) => ({ key: `${parkA}:300434030000001`, value })),
      );
      arrived += size;
    },
    break: () => (broken = true),
    repair: () => (broken = false),
    kill,
    move,
    day: async () => {
      days += 1;
      if (days <= maxDays) await clock.advance(21 * 3_600_000);
    },
    storeEmptied: () => {
      state.entries.clear();
      troubled = true;
    },
    storeAway: () => (troubled = state.away = true),
    storeBack: () => (state.away = false),
  };

  const run = async ({ act: name, size }: Step, pauseMs = 500): Promise<void> => {
    try {
      await act[name](size);
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
    }
    await clock.advance(pauseMs);
  };

  const over = (): boolean => bus.finished(bus.source) && bus.finished(bus.parked);

  for (const step of steps) await run(step);
  for (const name of ['storeBack', 'repair', 'day'] as const) await run({ act: name, size: 0 });
  await clock.advance(5_000);
  for (let turn = 0; turn < 300 && !over(); turn += 1)
    for (const name of ['source', 'parked'] as const) await run({ act: name, size: 500 }, 11_000);
  return {
    taken,
    arrived,
    troubled,
    held: owner.parking.holds(0, `${parkA}:300434030000001`),
    left: bus.source.records.length - bus.source.committed + bus.parked.records.length - bus.parked.committed,
  };
};
