import type { Broker, Cluster } from '../client/cluster.ts';
import { WireReader } from './reader.ts';
import { compactText, compactLength, exchange, ints, noTags, supports, text } from './requests.ts';

/** What the brokers know about one topic, and allow this client to do with it. */
export interface TopicState {
  readonly topic: string;
  /** A topic that is deleted and created again has another one; undefined before Kafka 2.8 and for a topic that does not exist. */
  readonly id: string | undefined;
  /** Error code of the topic as a whole; 0 for a topic that exists and may be looked at. */
  readonly code: number;
  /** Number of replicas of each partition. */
  readonly replicas: readonly number[];
  /** Permitted operations; null when the brokers do not tell. */
  readonly permitted: ReadonlySet<TopicOperation> | null;
}

/** An operation on a topic for which the brokers check the permission. */
export type TopicOperation = 'Read' | 'Write';

/** Kafka 2.3, the oldest supported version, speaks the plain version, the first with the permitted operations; Kafka 2.8 that with the ids. */
const metadataApi = { key: 3, name: 'Metadata' };
const [plainVersion, versionWithIds] = [8, 10];

/** Bits of the operations, by the numbers of Kafka's ACLs. */
const bits: Readonly<Record<TopicOperation, number>> = { Read: 1 << 3, Write: 1 << 4 };

const permittedBy = (field: number): TopicState['permitted'] =>
  field <= 0 ? null : new Set((['Read', 'Write'] as const).filter((operation) => (field & bits[operation]) !== 0));

/** No creation of topics, no rights on the cluster, but those on the topics. */
const flags = Buffer.from([0, 0, 1]);
const noId = Buffer.alloc(16);

const plainBody = (topics: readonly string[]): Buffer =>
  Buffer.concat([ints(topics.length), ...topics.map((topic) => text(topic)), flags]);

const bodyWithIds = (topics: readonly string[]): Buffer =>
  Buffer.concat([
    noTags,
    compactLength(topics.length),
    ...topics.flatMap((topic) => [noId, compactText(topic), noTags]),
    flags,
    noTags,
  ]);

const decodePlain = async (raw: Buffer): Promise<TopicState[]> => {
  const r = new WireReader(raw, 4);
  /** Skips a partition; returns the number of its replicas, whose lists are: all, those in sync, those offline. */
  const replicas = (): number => {
    r.bytes(2 + 4 + 4 + 4);
    const [all = []] = [r.list(r.int32), r.list(r.int32), r.list(r.int32)];
    return all.length;
  };
  r.list(() => [r.int32(), r.text(), r.int32(), r.text()]);
  r.text();
  r.int32();
  return r.list(() => {
    const [code, topic] = [r.int16(), r.text()];
    r.bytes(1);
    return { code, topic, id: undefined, replicas: r.list(replicas), permitted: permittedBy(r.int32()) };
  });
};

const decodeWithIds = async (raw: Buffer): Promise<TopicState[]> => {
  const r = new WireReader(raw);
  const replicas = (): number => {
    r.bytes(2 + 4 + 4 + 4);
    const [all = []] = [r.compactList(r.int32), r.compactList(r.int32), r.compactList(r.int32)];
    r.skipTags();
    return all.length;
  };
  r.skipTags();
  r.int32();
  r.compactList(() => [r.int32(), r.compactText(), r.int32(), r.compactText(), r.skipTags()]);
  r.compactText();
  r.int32();
  return r.compactList(() => {
    const [code, topic, id] = [r.int16(), r.compactText(), r.uuid()];
    r.bytes(1);
    const state = { code, topic, replicas: r.compactList(replicas), permitted: permittedBy(r.int32()) };
    r.skipTags();
    return { ...state, id: /^0+$/.test(id) ? undefined : id };
  });
};

interface ClusterInternals {
  readonly brokerPool: { findConnectedBroker(): Promise<Broker> };
}

/**
 * Reads the states of topics from any broker that answers, in one request. Unlike the library's method, it does not throw for the error of one
 * topic. @throws any error of the library when no broker answers
 */
export const readTopicStates = async (cluster: Cluster, topics: readonly string[]): Promise<TopicState[]> => {
  await cluster.connect();
  const broker = await (cluster as unknown as ClusterInternals).brokerPool.findConnectedBroker();
  return supports(broker, metadataApi.key, versionWithIds)
    ? exchange(broker, { ...metadataApi, version: versionWithIds, body: bodyWithIds(topics), decode: decodeWithIds })
    : exchange(broker, { ...metadataApi, version: plainVersion, body: plainBody(topics), decode: decodePlain });
};
