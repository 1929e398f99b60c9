import { untilDone } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import type { Groups } from '../consume/consumers.ts';
import { type Page } from '../consume/partition.ts';
import { firstCommit, type StoredCommit } from '../consume/commit.ts';
import type { BusTopic } from '../embedded/topics.ts';
import { decodeDone, type FetchRequest } from '../lanes.ts';
import { partitionOf } from '../partitioner.ts';
import { createPendingCounter, type PendingCounter } from '../pending-counter.ts';
import { type BusRecord, checkSize, type OutgoingRecord, type PendingKey, publishedAt } from '../port.ts';

/** A record, and when it came to its topic, ms since 1970. */
interface StoredRecord extends BusRecord {
  readonly storedAt: number;
}

interface StoredTopic {
  readonly spec: BusTopic;
  /** Records by partition; their offsets are their indexes. */
  readonly partitions: readonly StoredRecord[][];
}

/** What the buses of several processes share, and what outlives them. */
export interface MemoryStorage {
  /** @throws RelayError `bus_topic_unknown` */
  topic(name: string): StoredTopic;
  /** @throws RelayError `record_too_large`, and nothing is stored */
  store(topic: string, records: readonly OutgoingRecord[], at: number): void;
  /** Deletes a topic with its records and commits, and creates it again: the one of that name is another one then. */
  recreate(topic: string): void;
  committed(topic: string, group: string, partition: number): StoredCommit | undefined;
  /** Sets where a group without an offset begins. */
  begin(topic: string, group: string, partition: number, offset: bigint): void;
  /** False when it is refused, because another member owns the partition. */
  commit(topic: string, group: string, partition: number, commit: StoredCommit): boolean;
  /** Counts what the group has not done, by key; each record once, however often it is asked. */
  pending(topic: string, group: string): Promise<readonly PendingKey[]>;
  readonly groups: Groups;
  /** Calls `listener` when records of the topic were stored, of one partition or of any. Returns how to stop. */
  listen(topic: string, partition: number | null, listener: () => void): () => void;
}

/** Copies of values that share memory with each other and nothing else: what is kept must not keep Node's pool of many others. */
const copiesOf = (values: readonly (string | Uint8Array)[]): Buffer[] => {
  const sizes = values.map((value) => Buffer.byteLength(value));
  const memory = Buffer.allocUnsafeSlow(sizes.reduce((sum, size) => sum + size, 0));
  let end = 0;
  return values.map((value, index) => {
    const copy = memory.subarray(end, (end += sizes[index] ?? 0));
    if (typeof value === 'string') copy.write(value);
    else copy.set(value);
    return copy;
  });
};

/** Appends a record with a copy of its value, and returns its partition. */
const append = (
  { spec, partitions }: StoredTopic,
  { key, headers = {} }: OutgoingRecord,
  value: Buffer,
  storedAt: number,
): number => {
  const partition = partitionOf(key, partitions.length);
  const records = partitions[partition] ?? [];
  records.push({
    topic: spec.name,
    partition,
    offset: BigInt(records.length),
    key,
    value,
    headers,
    timestamp: publishedAt(headers, storedAt),
    storedAt,
  });
  return partition;
};

/** Makes an empty storage with these topics. When they are left out, each name is a topic of one partition without a limit. */
export const memoryStorage = (topics?: readonly BusTopic[]): MemoryStorage => {
  const made = new Map<string, StoredTopic>();
  const offsets = new Map<string, StoredCommit>();
  const counters = new Map<string, PendingCounter>();
  const listeners = new Map<string, Set<() => void>>();
  const listenersOf = (topic: string, partition: number | null): Set<() => void> => {
    const place = `${topic} ${partition ?? 'any'}`;
    const found = listeners.get(place) ?? new Set();
    listeners.set(place, found);
    return found;
  };
  const add = (spec: BusTopic): StoredTopic => {
    const topic = { spec, partitions: Array.from({ length: spec.partitions }, () => []) };
    made.set(spec.name, topic);
    return topic;
  };
  topics?.forEach(add);
  const topicOf = (name: string): StoredTopic => {
    const topic = made.get(name);
    if (!topic && topics) throw new RelayError('bus_topic_unknown', { details: { topic: name } });
    return topic ?? add({ name, partitions: 1, retentionMs: untilDone, maxRecordBytes: Infinity });
  };
  const committed: MemoryStorage['committed'] = (...place) => offsets.get(JSON.stringify(place));
  const counterOf = (topic: string, group: string): PendingCounter => {
    const place = JSON.stringify([topic, group]);
    const { partitions } = topicOf(topic);
    const found =
      counters.get(place) ??
      createPendingCounter(async function* (partition, from, to) {
        yield { records: partitions[partition]?.slice(Number(from), Number(to)) ?? [], to };
      });
    counters.set(place, found);
    return found;
  };
  return {
    topic: topicOf,
    store(name, records, at) {
      const topic = topicOf(name);
      for (const record of records) checkSize(topic.spec, record);
      const values = copiesOf(records.map(({ value }) => value));
      const partitions = new Set<number | null>(
        records.map((record, index) => append(topic, record, values[index] as Buffer, at)),
      );
      for (const partition of partitions.add(null)) listenersOf(name, partition).forEach((listener) => listener());
    },
    recreate(name) {
      add(topicOf(name).spec);
      for (const place of offsets.keys()) if ((JSON.parse(place) as [string])[0] === name) offsets.delete(place);
    },
    committed,
    begin(topic, group, partition, offset) {
      const place = JSON.stringify([topic, group, partition]);
      if (!offsets.has(place)) offsets.set(place, firstCommit(offset));
    },
    commit(topic, group, partition, commit) {
      offsets.set(JSON.stringify([topic, group, partition]), commit);
      return true;
    },
    pending: (topic, group) =>
      counterOf(topic, group).count(async () => {
        const reachOf = (records: readonly unknown[], partition: number) => {
          const { offset, done } = committed(topic, group, partition) ?? firstCommit(0n);
          return { committed: offset, done: decodeDone(done), end: BigInt(records.length) };
        };
        return new Map(topicOf(topic).partitions.map((records, partition) => [partition, reachOf(records, partition)]));
      }),
    groups: new Map(),
    listen(topic, partition, listener) {
      const place = listenersOf(topic, partition);
      place.add(listener);
      return () => void place.delete(listener);
    },
  };
};

/** The records of a partition that a request asks for: at least one, however large it is. */
export const pageOf = (records: readonly BusRecord[], { from, before, maxRecords, maxBytes }: FetchRequest): Page => {
  const end = before === null ? records.length : Math.min(Number(before), records.length);
  const page: BusRecord[] = [];
  let bytes = 0;
  for (let next = Number(from); next < end; next += 1) {
    const record = records[next] as BusRecord;
    bytes += record.value.byteLength;
    if (page.length > 0 && (page.length >= maxRecords || bytes > maxBytes)) break;
    page.push(record);
  }
  return { records: page, exhausted: Number(from) + page.length >= end };
};
