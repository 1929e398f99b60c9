import { RelayError } from '@ranger-relay/errors';
import { untilDone, type TopicSpec } from '@ranger-relay/contracts';
import type { SqliteFile } from '@ranger-relay/sqlite';
import { partitionOf } from '../partitioner.ts';

/** The members of a topic's specification that the adapter uses. */
export type BusTopic = Pick<TopicSpec, 'name' | 'partitions' | 'retentionMs' | 'maxRecordBytes'>;

/** A topic in the file: its slot numbers by partition. */
export interface StoredTopic {
  readonly spec: BusTopic;
  readonly slots: readonly number[];
}

/** The topics of one file. */
export interface Topics {
  /** @throws RelayError `bus_topic_unknown` */
  get(name: string): StoredTopic;
  all(): readonly StoredTopic[];
}

/** Limits of a topic whose specification only its owner knows. */
const unnamed = { retentionMs: untilDone, maxRecordBytes: 1_048_576 } as const;

const insert = `INSERT INTO slots (topic, partition) VALUES (?, ?)`;

/** Slot of the records with this key. */
export const slotOf = ({ slots }: StoredTopic, key: string): number => slots[partitionOf(key, slots.length)] as number;

const storedSlots = async (file: SqliteFile): Promise<Map<string, number[]>> => {
  const byTopic = new Map<string, number[]>();
  for (const { topic, slot } of await file.read('SELECT topic, slot FROM slots ORDER BY topic, partition')) {
    const slots = byTopic.get(topic as string) ?? [];
    slots.push(slot as number);
    byTopic.set(topic as string, slots);
  }
  return byTopic;
};

const createMissing = async (file: SqliteFile, missing: readonly BusTopic[]): Promise<void> => {
  const params = missing.flatMap(({ name, partitions }) => Array.from({ length: partitions }, (_, p) => [name, p]));
  if (params.length > 0) await file.write([{ sql: insert, params }]);
};

/**
 * Reads the topics of a file; with `create`, creates the missing ones. A stored topic keeps its number of partitions:
 * another number would distribute the records of a key over two partitions and lose their order.
 */
export const loadTopics = async (file: SqliteFile, specs: readonly BusTopic[], create: boolean): Promise<Topics> => {
  let stored = await storedSlots(file);
  if (create) {
    await createMissing(
      file,
      specs.filter(({ name }) => !stored.has(name)),
    );
    stored = await storedSlots(file);
  }
  const known = new Map<string, StoredTopic>();
  for (const spec of specs) {
    const slots = stored.get(spec.name);
    if (slots) known.set(spec.name, { spec, slots });
  }
  /** A process other than the owner does not know all topics; it can read and write them nevertheless. */
  const beside = (name: string): StoredTopic | undefined => {
    const slots = create ? undefined : stored.get(name);
    return slots && { spec: { ...unnamed, name, partitions: slots.length }, slots };
  };
  return {
    get(name) {
      const topic = known.get(name) ?? beside(name);
      if (!topic) throw new RelayError('bus_topic_unknown', { details: { topic: name } });
      return topic;
    },
    all: () => [...known.values()],
  };
};
