import type { Broker } from '../client/cluster.ts';
import { waits } from '../client/settings.ts';
import { readBatches, type ReadBatches } from './read-batches.ts';
import { WireReader } from './reader.ts';
import { compactLength, exchange, ints, noTags, supports, text } from './requests.ts';

/** A fetch of one partition. */
export interface FetchPart {
  readonly topic: string;
  /** Id of the topic that the offset is of; undefined where the brokers have none. */
  readonly topicId: string | undefined;
  readonly partition: number;
  readonly from: bigint;
  readonly maxBytes: number;
}

/** The response for one partition. */
export interface FetchAnswer extends ReadBatches {
  readonly topic: string;
  readonly partition: number;
  readonly code: number;
  /** Exclusive end of the readable records. */
  readonly end: bigint;
}

const api = { key: 1, name: 'Fetch' };
/** The version with ids refuses an offset of a topic that was deleted and created again (Kafka 3.1); the plain one knows only names. */
const [plainVersion, versionWithIds] = [11, 13];
const maxBytesInAll = 4 * 1_048_576;

const headBytes = 4 * 4 + 1 + 4 * 2;

/** No replica, no level of isolation, no session. */
const headOf = (waitMs: number): Buffer => {
  const head = Buffer.alloc(headBytes);
  head.writeInt32BE(-1, 0);
  head.writeInt32BE(waitMs, 4);
  head.writeInt32BE(1, 8);
  head.writeInt32BE(maxBytesInAll, 12);
  head.writeInt32BE(-1, 21);
  return head;
};

const longs = (...values: readonly bigint[]): Buffer => {
  const buffer = Buffer.allocUnsafe(values.length * 8);
  values.forEach((value, index) => buffer.writeBigInt64BE(value, index * 8));
  return buffer;
};

/** Both bodies repeat a topic for each of its partitions, to keep the order of the parts, in which the broker fills its response. */
const plainBody = (parts: readonly FetchPart[], waitMs: number): Buffer =>
  Buffer.concat([
    headOf(waitMs),
    ints(parts.length),
    ...parts.flatMap(({ topic, partition, from, maxBytes }) => [
      text(topic),
      ints(1, partition, -1),
      longs(from, -1n),
      ints(maxBytes),
    ]),
    ints(0),
    text(''),
  ]);

const bodyWithIds = (parts: readonly FetchPart[], waitMs: number): Buffer =>
  Buffer.concat([
    noTags,
    headOf(waitMs),
    compactLength(parts.length),
    ...parts.flatMap(({ topicId = '', partition, from, maxBytes }) => [
      Buffer.from(topicId, 'hex'),
      compactLength(1),
      ints(partition, -1),
      longs(from),
      ints(-1),
      longs(-1n),
      ints(maxBytes),
      noTags,
      noTags,
    ]),
    compactLength(0),
    compactLength(0),
    noTags,
  ]);

/** Maximum decompressed bytes of one response, except for its last batch. */
const maxBytesRead = 32 * 1_048_576;

interface RawPart {
  /** Name of the topic, or its id. */
  readonly topic: string;
  readonly partition: number;
  readonly code: number;
  readonly end: bigint;
  readonly batches: Buffer;
}

/** Throttle time, error and session id precede the topics; last stable offset and log start follow the end of a partition. */
const [headOfAnswer, unusedEnds] = [4 + 2 + 4, 16];
const abortedBytes = 16;

const decodePlain = async (raw: Buffer): Promise<RawPart[]> => {
  const r = new WireReader(raw, headOfAnswer);
  return r
    .list(() => {
      const topic = r.text();
      return r.list((): RawPart => {
        const [partition, code, end] = [r.int32(), r.int16(), r.int64()];
        r.bytes(unusedEnds);
        // Aborted transactions, then the replica to read from.
        r.bytes(Math.max(0, r.int32()) * abortedBytes + 4);
        return { topic, partition, code, end, batches: r.bytes(r.int32()) };
      });
    })
    .flat();
};

const decodeWithIds = async (raw: Buffer): Promise<RawPart[]> => {
  const r = new WireReader(raw);
  r.skipTags();
  r.bytes(headOfAnswer);
  return r
    .compactList(() => {
      const topic = r.uuid();
      const parts = r.compactList((): RawPart => {
        const [partition, code, end] = [r.int32(), r.int16(), r.int64()];
        r.bytes(unusedEnds);
        r.compactList(() => [r.bytes(abortedBytes), r.skipTags()]);
        r.bytes(4);
        const batches = r.bytes(r.compactLength());
        r.skipTags();
        return { topic, partition, code, end, batches };
      });
      r.skipTags();
      return parts;
    })
    .flat();
};

const answersOf = (
  raw: readonly RawPart[],
  parts: readonly FetchPart[],
  key: 'topic' | 'topicId',
  nameOf: (topic: string) => string,
) => {
  const wanted = new Map(parts.map((part) => [`${part[key]} ${part.partition}`, part]));
  const room = { bytes: maxBytesRead };
  return raw.flatMap(({ topic, partition, code, end, batches }): FetchAnswer[] => {
    const part = wanted.get(`${topic} ${partition}`);
    if (!part) return [];
    const batch = readBatches(batches, { ...part, topic: nameOf(part.topic) }, room);
    return [{ topic: part.topic, partition, code, end, ...batch }];
  });
};

/** Fetches partitions from the broker that leads them. The broker answers when one of them has records, or after the wait. */
export const fetchParts = async (
  broker: Broker,
  parts: readonly FetchPart[],
  nameOf: (topic: string) => string,
  waitMs: number = waits.fetch,
): Promise<FetchAnswer[]> => {
  const isById = supports(broker, api.key, versionWithIds) && parts.every(({ topicId }) => topicId !== undefined);
  const form = isById
    ? { version: versionWithIds, body: bodyWithIds(parts, waitMs), decode: decodeWithIds }
    : { version: plainVersion, body: plainBody(parts, waitMs), decode: decodePlain };
  const raw = await exchange(broker, { ...api, ...form, timeoutMs: waitMs + waits.request });
  return answersOf(raw, parts, isById ? 'topicId' : 'topic', nameOf);
};
