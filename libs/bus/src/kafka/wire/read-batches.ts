import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type BusRecord, publishedAt } from '../../port.ts';
import { decompressLz4 } from './lz4.ts';
import { attributesAt, batchOverhead, crc32c, crcAt, magic } from './record-batch.ts';
import { decompressSnappy } from './snappy.ts';

/** A compression of the records of a batch. */
interface Codec {
  readonly name: string;
  /** @throws Error when the data are broken, or larger than `maxBytes` */
  readonly decompress: (data: Buffer, maxBytes: number) => Buffer;
}

/** By the number in a batch's attributes. */
const codecs: readonly Codec[] = [
  { name: 'none', decompress: (data) => data },
  { name: 'gzip', decompress: (data, maxOutputLength) => gunzipSync(data, { maxOutputLength }) },
  { name: 'snappy', decompress: decompressSnappy },
  { name: 'lz4', decompress: decompressLz4 },
  { name: 'zstd', decompress: (data, maxOutputLength) => zstdDecompressSync(data, { maxOutputLength }) },
];

const codecMask = 7;

/** The codec in a batch's attributes; an unknown codec throws on use. */
export const codecOf = (attributes: number): Codec => {
  const number = attributes & codecMask;
  return (
    codecs[number] ?? {
      name: `codec ${number}`,
      decompress() {
        throw new Error('this version does not support the codec');
      },
    }
  );
};

/** Values of a topic's `compression.type` that this adapter can read. */
export const readableCompression: ReadonlySet<string> = new Set([
  'producer',
  'uncompressed',
  ...codecs.map(({ name }) => name),
]);

/** A batch that cannot be read; the records behind it wait. */
export interface UnreadableBatch {
  /** First offset of the batch. */
  readonly offset: bigint;
  /** Offset behind the batch; null when its header cannot be trusted. */
  readonly behind: bigint | null;
  readonly codec: string;
  /** The problem, without any content of the records. */
  readonly problem: string;
}

/** The records of the batches of one partition. */
export interface ReadBatches {
  /** Records from the requested offset on. */
  readonly records: readonly BusRecord[];
  /** Offset of the next fetch: behind everything that was read, including transaction markers. */
  readonly next: bigint;
  /** The batch at `next`, if it cannot be read. */
  readonly unreadable?: UnreadableBatch;
}

/** The fetch of a partition; `topic` is the name in the records. */
export interface Wanted {
  readonly topic: string;
  readonly partition: number;
  readonly from: bigint;
  readonly maxBytes: number;
}

/** Bytes that the reading of one response may still decompress; shared by its partitions. */
export interface Room {
  bytes: number;
}

/** Maximum decompressed bytes of one batch. */
const maxBatchBytes = 64 * 1_048_576;

const appendTimeFlag = 0x08;
const controlFlag = 0x20;
/** A batch's length counts from here. */
const lengthEnd = 12;

const none = new Uint8Array(0);

/** Reads the fields of records, from left to right. */
class Fields {
  at = 0;
  private readonly buffer: Buffer;

  constructor(buffer: Buffer) {
    this.buffer = buffer;
  }

  /** Reads a zigzag number of up to 2^53. */
  varint(): number {
    let low = 0;
    let shift = 0;
    for (; shift < 28; shift += 7) {
      const byte = this.buffer[this.at++] as number;
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (low >>> 1) ^ -(low & 1);
    }
    let value = low;
    for (; shift < 63; shift += 7) {
      const byte = this.buffer[this.at++] as number;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
    throw new RangeError('a number has no end');
  }

  /** Returns the start of the next field and skips its bytes; negative when it is null. */
  private field(): number {
    const length = this.varint();
    if (length < 0) return length;
    const start = this.at;
    this.at += length;
    if (this.at > this.buffer.length) throw new Error('a field has no end');
    return start;
  }

  bytes(): Uint8Array | null {
    const start = this.field();
    return start < 0 ? null : this.buffer.subarray(start, this.at);
  }

  text(): string | null {
    const start = this.field();
    return start < 0 ? null : this.buffer.toString('utf8', start, this.at);
  }
}

const noHeaders: Readonly<Record<string, string>> = Object.freeze({});

/** Of several values of one name, the first one counts. */
const headersOf = (fields: Fields): Readonly<Record<string, string>> => {
  const count = fields.varint();
  if (count <= 0) return noHeaders;
  const headers: Record<string, string> = {};
  for (let left = count; left > 0; left -= 1) {
    const name = fields.text() ?? '';
    const value = fields.text();
    if (value !== null && !Object.hasOwn(headers, name)) setOwn(headers, name, value);
  }
  return headers;
};

/** A plain assignment would lose a header named `__proto__`. */
const setOwn = (headers: Record<string, string>, name: string, value: string): void => {
  if (name === '__proto__') Object.defineProperty(headers, name, { value, enumerable: true });
  else headers[name] = value;
};

/** A complete batch. */
interface Batch {
  readonly bytes: Buffer;
  readonly base: bigint;
  readonly next: bigint;
  readonly codec: Codec;
}

/** Whether the broker cut the batch off because the response was full; the next fetch returns it completely. */
const isCutOff = (data: Buffer, at: number): boolean =>
  at + lengthEnd > data.length || at + lengthEnd + data.readInt32BE(at + 8) > data.length;

/** @throws Error that describes the problem */
const batchAt = (data: Buffer, at: number): Batch => {
  if (isCutOff(data, at)) throw new Error('its length is wrong');
  const bytes = data.subarray(at, at + lengthEnd + data.readInt32BE(at + 8));
  const format = bytes[16];
  if (format !== magic) throw new Error(`it has the record format ${format}, and only ${magic} can be read`);
  if (bytes.length < batchOverhead) throw new Error('its length is wrong');
  const base = bytes.readBigInt64BE(0);
  const next = base + BigInt(bytes.readInt32BE(23)) + 1n;
  return { bytes, base, next, codec: codecOf(bytes.readInt16BE(attributesAt)) };
};

/** The records of a batch, and their size in bytes. @throws Error that describes the problem */
const unpack = ({ bytes, base, codec }: Batch, topic: string, partition: number): [BusRecord[], number] => {
  if (bytes.readUInt32BE(crcAt) !== crc32c(bytes, attributesAt)) throw new Error('its checksum is wrong');
  const attributes = bytes.readInt16BE(attributesAt);
  if (attributes & controlFlag) return [[], bytes.length];
  const data = codec.decompress(bytes.subarray(batchOverhead), maxBatchBytes);
  const fields = new Fields(data);
  const appendTime = (attributes & appendTimeFlag) !== 0;
  const time = Number(bytes.readBigInt64BE(appendTime ? 35 : 27));
  const records: BusRecord[] = [];
  for (let left = bytes.readInt32BE(57); left > 0; left -= 1) {
    const length = fields.varint();
    const end = fields.at + length;
    fields.at += 1;
    const later = fields.varint();
    const timestamp = appendTime ? time : time + later;
    const offset = base + BigInt(fields.varint());
    const key = fields.text() ?? '';
    const value = fields.bytes() ?? none;
    const headers = headersOf(fields);
    if (fields.at !== end) throw new Error('a record does not have its declared length');
    records.push({ topic, partition, offset, key, value, headers, timestamp: publishedAt(headers, timestamp) });
  }
  return [records, data.length];
};

/** Reads the batches of one partition from an offset on, until `maxBytes` are decompressed. Stops before a batch that cannot be read. */
export const readBatches = (data: Buffer, { topic, partition, from, maxBytes }: Wanted, room: Room): ReadBatches => {
  const records: BusRecord[] = [];
  let next = from;
  let left = maxBytes;
  for (let at = 0; at < data.length && left > 0 && room.bytes > 0;) {
    // The first batch is always complete.
    if (at > 0 && isCutOff(data, at)) break;
    let batch: Batch | undefined;
    try {
      batch = batchAt(data, at);
      const [unpacked, bytes] = unpack(batch, topic, partition);
      for (const record of unpacked) if (record.offset >= from) records.push(record);
      if (batch.next > next) next = batch.next;
      at += batch.bytes.length;
      left -= bytes;
      room.bytes -= bytes;
    } catch (error) {
      const offset = batch && batch.base > next ? batch.base : next;
      const problem = error instanceof Error ? error.message : String(error);
      const behind = batch && batch.next > offset ? batch.next : null;
      return { records, next, unreadable: { offset, behind, codec: batch?.codec.name ?? 'unknown', problem } };
    }
  }
  return { records, next };
};
