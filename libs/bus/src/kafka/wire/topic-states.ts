import type { Broker } from '../client/cluster.ts';
import { exchange, ints, text } from './requests.ts';

/** What the brokers know about one topic, and allow this client to do with it. */
export interface TopicState {
  readonly topic: string;
  /** Error code of the topic as a whole; 0 for a topic that exists and may be looked at. */
  readonly code: number;
  /** Number of replicas of each partition. */
  readonly replicas: readonly number[];
  /** Permitted operations; null when the brokers do not tell. */
  readonly permitted: ReadonlySet<TopicOperation> | null;
}

/** An operation on a topic for which the brokers check the permission. */
export type TopicOperation = 'Read' | 'Write';

/** Kafka 2.3, the oldest supported version, speaks this version; it is the first with the permitted operations. */
const metadataApi = { key: 3, version: 8, name: 'Metadata' };

/** Bits of the operations, by the numbers of Kafka's ACLs. */
const bits: Readonly<Record<TopicOperation, number>> = { Read: 1 << 3, Write: 1 << 4 };

const permittedBy = (field: number): TopicState['permitted'] =>
  field <= 0 ? null : new Set((['Read', 'Write'] as const).filter((operation) => (field & bits[operation]) !== 0));

/** No creation of topics, no rights on the cluster, but those on the topics. */
const flags = Buffer.from([0, 0, 1]);

const bodyOf = (topics: readonly string[]): Buffer =>
  Buffer.concat([ints(topics.length), ...topics.map((topic) => text(topic)), flags]);

const decode = async (raw: Buffer): Promise<TopicState[]> => {
  let at = 4;
  const int16 = (): number => raw.readInt16BE((at += 2) - 2);
  const int32 = (): number => raw.readInt32BE((at += 4) - 4);
  const readText = (): string => {
    const length = Math.max(0, int16());
    at += length;
    return raw.toString('utf8', at - length, at);
  };
  const skipInts = (): number => {
    const count = int32();
    at += count * 4;
    return count;
  };
  /** Skips a partition, with the lists of its replicas: all, those in sync, those offline. */
  const readReplicas = (): number => {
    at += 2 + 4 + 4 + 4;
    const [count = 0] = [skipInts(), skipInts(), skipInts()];
    return count;
  };
  for (let brokers = int32(); brokers > 0; brokers -= 1) {
    at += 4;
    readText();
    at += 4;
    readText();
  }
  readText();
  at += 4;
  const states: TopicState[] = [];
  for (let topics = int32(); topics > 0; topics -= 1) {
    const code = int16();
    const topic = readText();
    at += 1;
    const replicas = Array.from({ length: int32() }, readReplicas);
    states.push({ topic, code, replicas, permitted: permittedBy(int32()) });
  }
  return states;
};

/**
 * Reads the states of topics from any broker, in one request. Unlike the library's method, it does not throw for the error of one topic. Rejects
 * without a response.
 */
export const readTopicStates = (broker: Broker, topics: readonly string[]): Promise<TopicState[]> =>
  exchange(broker, { ...metadataApi, body: bodyOf(topics), decode });
