import {
  type Assigned,
  type Group,
  type Groups,
  memoryBus,
  type MemoryBus,
  type MemoryStorage,
  memoryStorage,
} from '@ranger-relay/bus/testing';
import { topics } from '@ranger-relay/contracts';
import type { Context } from '@ranger-relay/runtime';
import { brokerCalls, type Coordinator, createCoordinator, createMembership } from './group.ts';
import type { SimulatedProcess } from './process.ts';
import type { Simulation } from './simulation.ts';

/** The brokers of a world. */
export interface WorldBus {
  /** The bus of one process. */
  connect(process: SimulatedProcess, context: Pick<Context, 'log' | 'metrics'>): MemoryBus;
  /** Rebalances every group. */
  shuffle(): void;
  /** Deletes a topic and creates it again. Returns the JSON values of the records that no group had done. */
  recreate<Value>(topic: string): Value[];
  /** Reads the JSON values of a topic: each call returns those that came since the last one. */
  reader<Value>(topic: string): () => Value[];
  /** Partitions with records that were stored before a time and that a group has not committed. */
  unfinished(before: number): string[];
}

/** Sees what a process is about to publish. */
type OnPublish = (process: string, topic: string, values: readonly (string | Uint8Array)[]) => void;

/** Topics that one group consumes: what it has done is no longer needed. */
const consumedTopics = new Set<string>([
  topics.emergencies.name,
  topics.sourceEvents.name,
  topics.sourceEventsParked.name,
  topics.siteEvents.name,
]);
/** Stands for every record whose memory is free again. */
const forgottenRecord = {
  topic: '',
  partition: 0,
  offset: 0n,
  key: '',
  value: Buffer.alloc(0),
  headers: {},
  timestamp: 0,
  storedAt: 0,
};
/** A process that stood still may read again what others have done meanwhile, ms. */
const keptMs = 3_600_000;

const placeOf = (topic: string, group: string): string => JSON.stringify([topic, group]);

/** Starts brokers with these topics. */
export const createWorldBus = (
  simulation: Simulation,
  specs: Parameters<typeof memoryStorage>[0],
  onPublish: OnPublish = () => undefined,
): WorldBus => {
  const storage = memoryStorage(specs);
  const coordinators = new Map<string, Coordinator>();
  /** Topics that are consumed together with another one, whose coordinator knows the owners. */
  const leadingTopics = new Map<string, string>();
  const coordinatorOf = (place: string): Coordinator => {
    const [topic] = JSON.parse(place) as [string];
    const found = coordinators.get(place) ?? createCoordinator(simulation, storage.topic(topic).partitions.length);
    coordinators.set(place, found);
    return found;
  };
  const groupsOf = (process: SimulatedProcess): Groups => {
    const groups = new Map<string, Group<Assigned>>();
    return {
      get(place) {
        const found = groups.get(place) ?? createMembership(process, coordinatorOf(place));
        groups.set(place, found);
        return found;
      },
      set: (place, group) => groups.set(place, group),
    };
  };
  const forgotten = new Map<string, number>();
  /** Frees the memory of records that are done for long, except the last one, whose time is asked for. */
  const forget = (topic: string, partition: number, before: bigint): void => {
    const records = storage.topic(topic).partitions[partition] ?? [];
    const place = `${topic} ${partition}`;
    const until = simulation.clock.now() - keptMs;
    let at = forgotten.get(place) ?? 0;
    for (let record = records[at]; record && at < Number(before) - 1 && record.storedAt < until; record = records[at]) {
      records[at] = forgottenRecord;
      at += 1;
    }
    forgotten.set(place, at);
  };
  return {
    reader: <Value>(topic: string) => {
      const { partitions } = storage.topic(topic);
      const next = partitions.map(() => 0);
      return () =>
        partitions.flatMap((records, partition) => {
          const fresh = records.slice(next[partition]);
          next[partition] = records.length;
          return fresh.map(({ value }) => JSON.parse(Buffer.from(value).toString()) as Value);
        });
    },
    unfinished: (before) =>
      [...coordinators.keys()]
        .map((place) => JSON.parse(place) as [string, string])
        .flatMap(([topic, group]) => {
          const beside = [...leadingTopics].flatMap(([each, leading]) => (leading === topic ? [each] : []));
          return [topic, ...beside].map((each) => [each, group] as const);
        })
        .flatMap(([topic, group]) =>
          storage.topic(topic).partitions.flatMap((records, partition) => {
            const next = Number(storage.committed(topic, group, partition)?.offset ?? 0n);
            const waiting = records.slice(next).filter(({ storedAt }) => storedAt < before).length;
            return waiting > 0 ? [`${waiting} records of ${topic}, partition ${partition}, in group ${group}`] : [];
          }),
        ),
    recreate<Value>(topic: string) {
      const leading = leadingTopics.get(topic) ?? topic;
      const groups = [...coordinators].flatMap(([place, coordinator]) => {
        const [of, group] = JSON.parse(place) as [string, string];
        return of === leading ? [{ group, coordinator }] : [];
      });
      const undone = storage.topic(topic).partitions.flatMap((records, partition) => {
        const done = groups.map(({ group }) => Number(storage.committed(topic, group, partition)?.offset ?? 0n));
        return records.slice(Math.min(...done, records.length));
      });
      storage.recreate(topic);
      for (const place of forgotten.keys()) if (place.startsWith(`${topic} `)) forgotten.delete(place);
      for (const { coordinator } of groups) coordinator.expelAll();
      return undone.map(({ value }) => JSON.parse(Buffer.from(value).toString()) as Value);
    },
    shuffle() {
      for (const coordinator of coordinators.values()) coordinator.shuffle();
    },
    connect(process, { log, metrics }) {
      const { name, random } = process;
      const call = brokerCalls(process);
      const view: MemoryStorage = {
        ...storage,
        groups: groupsOf(process),
        store(topic, records, at) {
          for (const { value } of records) simulation.tell(`${name} published to ${topic}`, value);
          storage.store(topic, records, at);
        },
        commit(topic, group, partition, commit) {
          // The brokers refuse the commit of a member that no longer owns the partition. A lower one is from an earlier session.
          const isOwner = coordinatorOf(placeOf(leadingTopics.get(topic) ?? topic, group)).owner(partition) === name;
          if (!isOwner || commit.offset < (storage.committed(topic, group, partition)?.offset ?? 0n)) return false;
          storage.commit(topic, group, partition, commit);
          if (consumedTopics.has(topic)) forget(topic, partition, commit.offset);
          return true;
        },
      };
      const told = new Set<() => void>();
      const bus = memoryBus(process.clock, {
        storage: view,
        random,
        log,
        metrics,
        link: {
          call: (what, act) => call('bus', what, act),
          notify(listener) {
            if (told.has(listener)) return;
            told.add(listener);
            simulation.clock.after(1, () => {
              told.delete(listener);
              process.run(listener);
            });
          },
        },
      });
      // Nobody looks at the calls of a process, and a world has millions.
      bus.calls.push = () => 0;
      bus.published.push = () => 0;
      bus.reads.push = () => 0;
      const { publish, consumeTogether } = bus;
      return Object.assign(bus, {
        consumeTogether(...[first, second]: Parameters<typeof consumeTogether>) {
          leadingTopics.set(second.topic, first.topic);
          return consumeTogether(first, second);
        },
        publish(...[topic, records, options]: Parameters<typeof publish>) {
          const values = records.map(({ value }) => value);
          onPublish(name, topic, values);
          return publish(topic, records, options);
        },
      });
    },
  };
};
