// @ts-expect-error the client publishes no types for its inner parts
import Decoder from 'kafkajs/src/protocol/decoder.js';
// @ts-expect-error as above
import decodeRecordBatch from 'kafkajs/src/protocol/recordBatch/v0/decoder.js';
import { attributesAt, batchOverhead, crc32c, crcAt } from '../wire/record-batch.ts';

/** A record as the library's own decoder reads it. */
export interface ReadRecord {
  readonly offset: string;
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, Buffer>>;
}

/** Reads a batch with the library's decoder: a second opinion on what the adapter encodes. */
export const readBatch = async (batch: Buffer): Promise<readonly ReadRecord[]> =>
  ((await decodeRecordBatch(new Decoder(batch))) as { records: readonly ReadRecord[] }).records;

/** Sets a batch's attributes, as they are in front of its records, with the checksum that fits. */
export const withAttributes = (batch: Buffer, attributes: number): Buffer => {
  batch.writeInt16BE(attributes, attributesAt);
  batch.writeUInt32BE(crc32c(batch, attributesAt), crcAt);
  return batch;
};

/** A batch with its records compressed as the codec with this number does. */
export const compressed = (batch: Buffer, codec: number, compress: (records: Buffer) => Buffer): Buffer => {
  const packed = Buffer.concat([batch.subarray(0, batchOverhead), compress(batch.subarray(batchOverhead))]);
  packed.writeInt32BE(packed.length - 12, 8);
  return withAttributes(packed, codec);
};

/** Reads the fields of a request, from the left. */
export class Reader {
  at = 0;
  readonly buffer: Buffer;

  constructor(buffer: Buffer) {
    this.buffer = buffer;
  }

  int8 = (): number => this.buffer.readInt8((this.at += 1) - 1);
  int16 = (): number => this.buffer.readInt16BE((this.at += 2) - 2);
  int32 = (): number => this.buffer.readInt32BE((this.at += 4) - 4);
  int64 = (): bigint => this.buffer.readBigInt64BE((this.at += 8) - 8);
  bytes = (length: number): Buffer => this.buffer.subarray(this.at, (this.at += length));
  text = (): string => this.bytes(this.int16()).toString();
  list = <T>(read: () => T): T[] => Array.from({ length: this.int32() }, read);
  uuid = (): string => this.bytes(16).toString('hex');
  /** The short form of the lengths that the tests have: one byte, one more than the length. */
  short = (): number => this.int8() - 1;
  shortList = <T>(read: () => T): T[] => Array.from({ length: this.short() }, read);
  none = (): void => {
    if (this.int8() !== 0) throw new Error('tagged fields are not expected');
  };
}

const int16 = (n: number): Buffer => {
  const buffer = Buffer.alloc(2);
  buffer.writeInt16BE(n);
  return buffer;
};
const int32 = (n: number): Buffer => {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(n);
  return buffer;
};
const int64 = (n: bigint): Buffer => {
  const buffer = Buffer.alloc(8);
  buffer.writeBigInt64BE(n);
  return buffer;
};
const text = (value: string): Buffer => Buffer.concat([int16(Buffer.byteLength(value)), Buffer.from(value)]);

/** A produce request as a broker reads it. */
export const readProduce = (body: Buffer) => {
  const r = new Reader(body);
  const head = { transaction: r.int16(), acks: r.int16(), timeoutMs: r.int32() };
  const parts = r
    .list(() => ({ topic: r.text(), its: r.list(() => ({ partition: r.int32(), batch: r.bytes(r.int32()) })) }))
    .flatMap(({ topic, its }) => its.map(({ partition, batch }) => ({ topic, partition, batch })));
  return { ...head, parts, left: body.length - r.at };
};

const explanationOf = (detail: string | undefined): Buffer => {
  if (detail === undefined) return Buffer.alloc(0);
  return Buffer.concat([int32(2), int32(0), int16(-1), int32(1), text(detail), text('One or more records are bad')]);
};

/** The answer to a produce request. */
export const produceAnswer = (
  parts: readonly {
    readonly topic: string;
    readonly partition: number;
    readonly code: number;
    /** In the response of Kafka 2.4 and newer. */
    readonly detail?: string;
  }[],
): Buffer => {
  const topics = Map.groupBy(parts, ({ topic }) => topic);
  const bodies = [...topics].map(([topic, its]) =>
    Buffer.concat([
      text(topic),
      int32(its.length),
      ...its.map(({ partition, code, detail }) =>
        Buffer.concat([int32(partition), int16(code), int64(7n), int64(-1n), int64(0n), explanationOf(detail)]),
      ),
    ]),
  );
  return Buffer.concat([int32(topics.size), ...bodies, int32(0)]);
};

/** The version of a fetch in which topics have ids instead of names. */
const byId = 13;

/** A fetch request with ids as a broker reads it; the topics of the wishes are ids. */
const readFetchById = (body: Buffer) => {
  const r = new Reader(body);
  r.none();
  r.at += 16 + 1 + 8;
  const wishes = r.shortList(() => {
    const topic = r.uuid();
    const parts = r.shortList(() => {
      const [partition, , from, , , maxBytes] = [r.int32(), r.int32(), r.int64(), r.int32(), r.int64(), r.int32()];
      r.none();
      return { topic, partition, from, maxBytes };
    });
    r.none();
    return parts;
  });
  if (r.short() !== 0 || r.short() !== 0) throw new Error('nothing is to be forgotten, and there is no rack');
  r.none();
  if (r.at !== body.length) throw new Error('the request is longer than what it says');
  return wishes.flat();
};

/** A fetch request as a broker reads it. */
export const readFetch = (body: Buffer, version = 11) => {
  if (version === byId) return readFetchById(body);
  const r = new Reader(body);
  r.at += 16 + 1 + 8;
  const part = () => {
    const [partition, , from, , maxBytes] = [r.int32(), r.int32(), r.int64(), r.int64(), r.int32()];
    return { partition, from, maxBytes };
  };
  return r
    .list(() => ({ topic: r.text(), its: r.list(part) }))
    .flatMap(({ topic, its }) => its.map((it) => ({ topic, ...it })));
};

/** What a broker says of one partition. */
export interface FetchedPart {
  readonly topic: string;
  readonly partition: number;
  readonly code?: number;
  readonly end?: bigint;
  readonly records?: Buffer;
}

const short = (length: number): Buffer => Buffer.from([length + 1]);
const long = (length: number): Buffer => {
  const bytes: number[] = [];
  for (let left = length + 1; left > 0; left >>>= 7) bytes.push((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
  return Buffer.from(bytes);
};
const none = Buffer.from([0]);
/** A tagged field that a client does not know, of three bytes. */
const unknownTag = Buffer.from([1, 9, 3, 1, 2, 3]);

const answerById = (parts: readonly FetchedPart[]): Buffer =>
  Buffer.concat([
    none,
    int32(0),
    int16(0),
    int32(0),
    short(parts.length),
    ...parts.map(({ topic, partition, code = 0, end = 0n, records = Buffer.alloc(0) }) =>
      Buffer.concat([
        Buffer.from(topic, 'hex'),
        short(1),
        int32(partition),
        int16(code),
        int64(end),
        int64(end),
        int64(0n),
        short(1),
        int64(1n),
        int64(2n),
        none,
        int32(-1),
        long(records.length),
        records,
        unknownTag,
        none,
      ]),
    ),
    unknownTag,
  ]);

/** The answer to a fetch request. */
export const fetchAnswer = (parts: readonly FetchedPart[], version = 11): Buffer =>
  version === byId
    ? answerById(parts)
    : Buffer.concat([
        int32(0),
        int16(0),
        int32(0),
        int32(parts.length),
        ...parts.map(({ topic, partition, code = 0, end = 0n, records = Buffer.alloc(0) }) =>
          Buffer.concat([
            text(topic),
            int32(1),
            int32(partition),
            int16(code),
            int64(end),
            int64(end),
            int64(0n),
            int32(-1),
            int32(-1),
            int32(records.length),
            records,
          ]),
        ),
      ]);

interface Sent {
  readonly request: {
    readonly apiKey: number;
    readonly apiVersion: number;
    encode(): Promise<{ readonly buffer: Buffer }>;
  };
  readonly response: { decode(raw: Buffer): Promise<unknown> };
}

/** A connected broker, as far as the adapter's own requests see one: answers raw bytes by raw bytes. */
export const rawBroker = (
  answer: (apiKey: number, body: Buffer, version: number) => Buffer | Promise<Buffer>,
  newest: { readonly produce?: number; readonly fetch?: number } = {},
): never =>
  ({
    versions: {
      0: { minVersion: 0, maxVersion: newest.produce ?? 7 },
      1: { minVersion: 0, maxVersion: newest.fetch ?? 11 },
    },
    connectionPool: {
      send: async ({ request, response }: Sent) =>
        response.decode(await answer(request.apiKey, (await request.encode()).buffer, request.apiVersion)),
    },
  }) as never;
