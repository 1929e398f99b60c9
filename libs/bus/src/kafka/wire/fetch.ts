// @ts-expect-error the client publishes no types for its inner parts
import { decode } from 'kafkajs/src/protocol/requests/fetch/v11/response.js';
import type { Broker } from '../client/cluster.ts';
import { waits } from '../client/settings.ts';
import type { BusRecord } from '../../port.ts';
import { exchange } from './connection.ts';

/** Where to read one partition. */
export interface FetchPart {
  readonly topic: string;
  readonly partition: number;
  readonly from: bigint;
  readonly maxBytes: number;
}

/** What was read of one partition. */
export interface FetchAnswer {
  readonly topic: string;
  readonly partition: number;
  readonly code: number;
  /** End of what may be read, exclusive. */
  readonly end: bigint;
  /** Records from the wanted offset on. */
  readonly records: readonly BusRecord[];
  /** Where to go on: behind all that came, marks of transactions included. */
  readonly next: bigint;
}

interface RawMessage {
  readonly offset: string;
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers?: Readonly<Record<string, Buffer | readonly Buffer[] | null | undefined>>;
  readonly isControlRecord?: boolean;
}

interface RawAnswer {
  readonly responses: readonly {
    readonly topicName: string;
    readonly partitions: readonly {
      readonly partition: number;
      readonly errorCode: number;
      readonly highWatermark: string;
      readonly messages: readonly RawMessage[];
    }[];
  }[];
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

/** Topics may repeat in a request: parts keep their order, in which the broker fills its answer. */
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

const headersOf = (raw: RawMessage['headers']): Record<string, string> => {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(raw ?? {})) {
    // A name that every object has, as `constructor`, comes as a list that begins with the object's own.
    const first = [value].flat().find((each) => Buffer.isBuffer(each));
    if (first) headers[name] = first.toString();
  }
  return headers;
};

const none = new Uint8Array(0);

const recordsOf = (topic: string, partition: number, messages: readonly RawMessage[], from: bigint): BusRecord[] => {
  const records: BusRecord[] = [];
  for (const message of messages) {
    const offset = BigInt(message.offset);
    if (offset < from || message.isControlRecord) continue;
    records.push({
      topic,
      partition,
      offset,
      key: message.key?.toString() ?? '',
      value: message.value ?? none,
      headers: headersOf(message.headers),
      timestamp: Number(message.timestamp),
    });
  }
  return records;
};

const nextOf = (messages: readonly RawMessage[], from: bigint): bigint => {
  const last = messages.at(-1);
  const next = last ? BigInt(last.offset) + 1n : from;
  return next > from ? next : from;
};

const answersOf = (raw: RawAnswer, parts: readonly FetchPart[], nameOf: (topic: string) => string): FetchAnswer[] => {
  const from = new Map(parts.map((part) => [`${part.topic} ${part.partition}`, part.from]));
  return raw.responses.flatMap(({ topicName: topic, partitions }) =>
    partitions.map(({ partition, errorCode: code, highWatermark, messages }) => {
      const start = from.get(`${topic} ${partition}`) ?? 0n;
      return {
        topic,
        partition,
        code,
        end: BigInt(highWatermark),
        records: recordsOf(nameOf(topic), partition, messages, start),
        next: nextOf(messages, start),
      };
    }),
  );
};

/** Reads partitions from the broker that leads them; it answers at once when one of them has records, else after the wait. */
export const fetchParts = async (
  broker: Broker,
  parts: readonly FetchPart[],
  nameOf: (topic: string) => string,
  waitMs: number = waits.fetch,
): Promise<FetchAnswer[]> => {
  const raw = await exchange<RawAnswer>(broker, {
    key: apiKey,
    version,
    name: 'Fetch',
    body: bodyOf(parts, waitMs),
    decode: decode as (raw: Buffer) => Promise<RawAnswer>,
    timeoutMs: waitMs + waits.request,
  });
  return answersOf(raw, parts, nameOf);
};
