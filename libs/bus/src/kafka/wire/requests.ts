// @ts-expect-error the client publishes no types for its inner parts
import { createErrorFromCode } from 'kafkajs/src/protocol/error.js';
import type { Broker } from '../client/cluster.ts';
import { waits } from '../client/settings.ts';

/** Protocol error codes that the adapter distinguishes. */
export const codes = {
  none: 0,
  offsetOutOfRange: 1,
  unknownTopic: 3,
  messageTooLarge: 10,
  recordListTooLarge: 18,
  invalidTimestamp: 32,
} as const;

/** An error code of the protocol: its name, its text, and whether a retry can succeed. */
interface CodeFacts {
  readonly type: string;
  readonly message: string;
  readonly retriable: boolean;
}

/** Codes that the library does not know. */
const newerCodes = new Map<number, CodeFacts>([
  [100, { type: 'UNKNOWN_TOPIC_ID', message: 'This server does not host this topic ID', retriable: true }],
  [103, { type: 'INCONSISTENT_TOPIC_ID', message: 'The topic has another ID', retriable: true }],
]);

/** The error of a code. */
export const protocolError = (code: number): Error => createErrorFromCode(code) as Error;

/** Looks an error code up. */
export const factsOf = (code: number): CodeFacts => {
  const newer = newerCodes.get(code);
  if (newer) return newer;
  const { type, message, retriable } = createErrorFromCode(code) as CodeFacts;
  return { type, message, retriable };
};

interface Request<T> {
  readonly key: number;
  readonly version: number;
  readonly name: string;
  readonly body: Buffer;
  readonly decode: (raw: Buffer) => Promise<T>;
  /** Timeout, ms, for requests that the broker may delay; default: that of the client. */
  readonly timeoutMs?: number;
}

interface Pool {
  send(request: unknown): Promise<unknown>;
}

/**
 * Sends one request to a connected broker. Unlike the library's methods, it does not throw for the error of one
 * partition: the response has a code for each.
 */
export const exchange = <T>(broker: Broker, request: Request<T>): Promise<T> => {
  const { connectionPool } = broker as unknown as { connectionPool: Pool };
  return connectionPool.send({
    request: {
      apiKey: request.key,
      apiVersion: request.version,
      apiName: request.name,
      expectResponse: () => true,
      // An encoder of the library, as far as it is read.
      encode: async () => ({ buf: request.body, buffer: request.body }),
    },
    response: { decode: request.decode, parse: async (answer: T) => answer },
    requestTimeout: request.timeoutMs ?? null,
  }) as Promise<T>;
};

/** One encoded batch for one partition. */
export interface ProducePart {
  readonly topic: string;
  readonly partition: number;
  readonly batch: Buffer;
}

/** Result for one part; code 0 means that every in-sync replica has stored it. */
export interface ProduceAnswer {
  readonly topic: string;
  readonly partition: number;
  readonly code: number;
  /** What the broker says about the first record that it refuses; empty before Kafka 2.4. */
  readonly detail: string;
}

const produceApi = { key: 0, name: 'Produce' };
/** From this version on, the response says why records are refused. */
const explainedVersion = 8;
const plainVersion = 7;

interface Versions {
  readonly versions?: Readonly<Record<number, { minVersion: number; maxVersion: number }>>;
}

/** Whether a connected broker speaks a version of a request. */
export const supports = (broker: object, key: number, version: number): boolean => {
  const known = (broker as Versions).versions?.[key];
  return known !== undefined && known.minVersion <= version && known.maxVersion >= version;
};
const allReplicas = -1;

const byTopic = (parts: readonly ProducePart[]): Map<string, ProducePart[]> => {
  const topics = new Map<string, ProducePart[]>();
  for (const part of parts) {
    const known = topics.get(part.topic);
    if (known) known.push(part);
    else topics.set(part.topic, [part]);
  }
  return topics;
};

/** Encodes 32-bit integers. */
export const ints = (...values: readonly number[]): Buffer => {
  const buffer = Buffer.allocUnsafe(values.length * 4);
  values.forEach((value, index) => buffer.writeInt32BE(value, index * 4));
  return buffer;
};

/** Encodes a text with its length. */
export const text = (value: string): Buffer => {
  const buffer = Buffer.allocUnsafe(2 + Buffer.byteLength(value));
  buffer.writeInt16BE(buffer.length - 2, 0);
  buffer.write(value, 2);
  return buffer;
};

/** Encodes the length of a compact list or text. */
export const compactLength = (length: number): Buffer => {
  const bytes: number[] = [];
  for (let left = length + 1; ; left >>>= 7) {
    bytes.push(left > 0x7f ? (left & 0x7f) | 0x80 : left);
    if (left <= 0x7f) return Buffer.from(bytes);
  }
};

/** Encodes a text as the flexible versions have it. */
export const compactText = (value: string): Buffer =>
  Buffer.concat([compactLength(Buffer.byteLength(value)), Buffer.from(value)]);

/** No tagged fields: ends each structure of a flexible version, and its header, which the library leaves without them. */
export const noTags = Buffer.from([0]);

const produceBody = (parts: readonly ProducePart[]): Buffer => {
  const topics = byTopic(parts);
  const head = Buffer.allocUnsafe(12);
  head.writeInt16BE(-1, 0);
  head.writeInt16BE(allReplicas, 2);
  head.writeInt32BE(waits.acks, 4);
  head.writeInt32BE(topics.size, 8);
  const pieces: Buffer[] = [head];
  for (const [topic, its] of topics) {
    pieces.push(text(topic), ints(its.length));
    for (const { partition, batch } of its) pieces.push(ints(partition, batch.length), batch);
  }
  return Buffer.concat(pieces);
};

/** One entry of the response: partition, code, base offset, append time and log start. */
const entryBytes = 4 + 2 + 8 + 8 + 8;

const readProduceAnswers = (raw: Buffer, isExplained: boolean): ProduceAnswer[] => {
  const answers: ProduceAnswer[] = [];
  let at = 4;
  const nullableText = (): string => {
    const length = raw.readInt16BE(at);
    at += 2 + Math.max(0, length);
    return length < 0 ? '' : raw.toString('utf8', at - length, at);
  };
  const explanation = (): string => {
    const said: string[] = [];
    for (let records = raw.readInt32BE((at += 4) - 4); records > 0; records -= 1) {
      at += 4;
      said.push(nullableText());
    }
    const whole = nullableText();
    return said.find(Boolean) ?? whole;
  };
  for (let topics = raw.readInt32BE(0); topics > 0; topics -= 1) {
    const length = raw.readInt16BE(at);
    const topic = raw.toString('utf8', at + 2, at + 2 + length);
    at += 2 + length;
    let left = raw.readInt32BE(at);
    at += 4;
    for (; left > 0; left -= 1) {
      const [partition, code] = [raw.readInt32BE(at), raw.readInt16BE(at + 4)];
      at += entryBytes;
      answers.push({ topic, partition, code, detail: isExplained ? explanation() : '' });
    }
  }
  return answers;
};

/** Sends batches to the broker that leads their partitions, with acknowledgement by all in-sync replicas. Rejects without a response. */
export const produce = (broker: Broker, parts: readonly ProducePart[]): Promise<ProduceAnswer[]> => {
  const isExplained = supports(broker, produceApi.key, explainedVersion);
  const version = isExplained ? explainedVersion : plainVersion;
  const decode = async (raw: Buffer): Promise<ProduceAnswer[]> => readProduceAnswers(raw, isExplained);
  return exchange(broker, { ...produceApi, version, body: produceBody(parts), decode });
};

/** Offsets of one topic that a member commits. */
export interface OffsetsToCommit {
  readonly groupId: string;
  readonly generation: number;
  readonly memberId: string;
  readonly topic: string;
  /** By partition. */
  readonly offsets: ReadonlyMap<number, CommittedOffset>;
}

/** An offset, and the text that is stored with it. */
export interface CommittedOffset {
  readonly offset: bigint;
  readonly metadata: string;
}

/** The last version with a retention time for the offsets; with later versions, the broker deletes the offsets of an inactive group. */
const offsetCommitApi = { key: 8, version: 4, name: 'OffsetCommit' };
/** Ten years: an offset must be kept longer than any record. */
const keepMs = 10 * 365 * 86_400_000;

/** Whether a broker accepts a retention time for offsets. */
export const keepsOffsets = (broker: object): boolean => supports(broker, offsetCommitApi.key, offsetCommitApi.version);

const offsetCommitBody = ({ groupId, generation, memberId, topic, offsets }: OffsetsToCommit): Buffer => {
  const at = Buffer.alloc(4);
  at.writeInt32BE(generation, 0);
  const head = Buffer.alloc(12);
  head.writeBigInt64BE(BigInt(keepMs), 0);
  head.writeInt32BE(1, 8);
  const count = Buffer.alloc(4);
  count.writeInt32BE(offsets.size, 0);
  const parts = [...offsets].flatMap(([partition, { offset, metadata }]) => {
    const part = Buffer.alloc(12);
    part.writeInt32BE(partition, 0);
    part.writeBigInt64BE(offset, 4);
    return [part, text(metadata)];
  });
  return Buffer.concat([text(groupId), at, text(memberId), head, text(topic), count, ...parts]);
};

/** Partitions with an error, and their codes. */
const readRefusedOffsets = async (raw: Buffer): Promise<Map<number, number>> => {
  const refused = new Map<number, number>();
  let at = 4;
  for (let topics = raw.readInt32BE((at += 4) - 4); topics > 0; topics -= 1) {
    at += 2 + raw.readInt16BE(at);
    for (let left = raw.readInt32BE((at += 4) - 4); left > 0; left -= 1, at += 6) {
      const code = raw.readInt16BE(at + 4);
      if (code !== 0) refused.set(raw.readInt32BE(at), code);
    }
  }
  return refused;
};

/** Commits offsets of a group for ten years, even if the group is inactive; returns the codes of the refused partitions. */
export const commitOffsets = (broker: Broker, commit: OffsetsToCommit): Promise<ReadonlyMap<number, number>> =>
  exchange(broker, { ...offsetCommitApi, body: offsetCommitBody(commit), decode: readRefusedOffsets });
