import type { Broker } from '../client/cluster.ts';
import { waits } from '../client/settings.ts';
import { exchange } from './requests.ts';
import { readBatches, type ReadBatches } from './read-batches.ts';

/** A fetch of one partition. */
export interface FetchPart {
  readonly topic: string;
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

const apiKey = 1;
const version = 11;
const maxBytesInAll = 4 * 1_048_576;

const encodePart = ({ partition, from, maxBytes }: FetchPart): Buffer => {
  const buffer = Buffer.allocUnsafe(28);
  buffer.writeInt32BE(partition, 0);
  buffer.writeInt32BE(-1, 4);
  buffer.writeBigInt64BE(from, 8);
  buffer.writeBigInt64BE(-1n, 16);
  buffer.writeInt32BE(maxBytes, 24);
  return buffer;
};

const encodeTopic = (topic: string, count: number): Buffer => {
  const length = Buffer.byteLength(topic);
  const buffer = Buffer.allocUnsafe(6 + length);
  buffer.writeInt16BE(length, 0);
  buffer.write(topic, 2);
  buffer.writeInt32BE(count, 2 + length);
  return buffer;
};

const headBytes = 4 * 4 + 1 + 4 * 3;

/** Repeats a topic for each of its partitions, to keep the order of the parts, in which the broker fills its response. */
const bodyOf = (parts: readonly FetchPart[], waitMs: number): Buffer => {
  const head = Buffer.alloc(headBytes);
  head.writeInt32BE(-1, 0);
  head.writeInt32BE(waitMs, 4);
  head.writeInt32BE(1, 8);
  head.writeInt32BE(maxBytesInAll, 12);
  head.writeInt8(0, 16);
  head.writeInt32BE(0, 17);
  head.writeInt32BE(-1, 21);
  head.writeInt32BE(parts.length, 25);
  const tail = Buffer.alloc(6);
  return Buffer.concat([head, ...parts.flatMap((part) => [encodeTopic(part.topic, 1), encodePart(part)]), tail]);
};

/** Maximum decompressed bytes of one response, except for its last batch. */
const maxBytesRead = 32 * 1_048_576;

/** Reader of a response; each partition is decoded separately. */
class Answer {
  at = 0;
  readonly buffer: Buffer;

  constructor(buffer: Buffer) {
    this.buffer = buffer;
  }

  int16 = (): number => this.buffer.readInt16BE((this.at += 2) - 2);
  int32 = (): number => this.buffer.readInt32BE((this.at += 4) - 4);
  int64 = (): bigint => this.buffer.readBigInt64BE((this.at += 8) - 8);

  bytes(length: number): Buffer {
    const start = this.at;
    this.at += Math.max(0, length);
    return this.buffer.subarray(start, this.at);
  }
}

interface RawPart {
  readonly topic: string;
  readonly partition: number;
  readonly code: number;
  readonly end: bigint;
  readonly batches: Buffer;
}

const rawPart = (answer: Answer, topic: string): RawPart => {
  const [partition, code, end] = [answer.int32(), answer.int16(), answer.int64()];
  // Last stable offset and log start.
  answer.at += 16;
  const aborted = answer.int32();
  // Aborted transactions, then the replica to read from.
  answer.at += Math.max(0, aborted) * 16 + 4;
  return { topic, partition, code, end, batches: answer.bytes(answer.int32()) };
};

/** Throttle time, error and session id precede the topics. */
const headOfAnswer = 4 + 2 + 4;

const decode = async (raw: Buffer): Promise<RawPart[]> => {
  const answer = new Answer(raw);
  answer.at = headOfAnswer;
  const parts: RawPart[] = [];
  for (let topics = answer.int32(); topics > 0; topics -= 1) {
    const topic = answer.bytes(answer.int16()).toString();
    for (let partitions = answer.int32(); partitions > 0; partitions -= 1) parts.push(rawPart(answer, topic));
  }
  return parts;
};

const answersOf = (raw: readonly RawPart[], parts: readonly FetchPart[], nameOf: (topic: string) => string) => {
  const wanted = new Map(parts.map((part) => [`${part.topic} ${part.partition}`, part]));
  const room = { bytes: maxBytesRead };
  return raw.flatMap(({ topic, partition, code, end, batches }): FetchAnswer[] => {
    const part = wanted.get(`${topic} ${partition}`);
    if (!part) return [];
    return [{ topic, partition, code, end, ...readBatches(batches, { ...part, topic: nameOf(topic) }, room) }];
  });
};

/** Fetches partitions from the broker that leads them. The broker answers when one of them has records, or after the wait. */
export const fetchParts = async (
  broker: Broker,
  parts: readonly FetchPart[],
  nameOf: (topic: string) => string,
  waitMs: number = waits.fetch,
): Promise<FetchAnswer[]> => {
  const raw = await exchange(broker, {
    key: apiKey,
    version,
    name: 'Fetch',
    body: bodyOf(parts, waitMs),
    decode,
    timeoutMs: waitMs + waits.request,
  });
  return answersOf(raw, parts, nameOf);
};
