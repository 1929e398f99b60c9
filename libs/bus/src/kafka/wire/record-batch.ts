import type { OutgoingRecord } from '../../port.ts';

const polynomial = 0x82f63b78;

/** Eight tables: entry `n` of table `k` is the checksum of byte `n` followed by `k` zero bytes. */
const tables = ((): readonly Int32Array[] => {
  const first = Int32Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let bit = 0; bit < 8; bit += 1) c = c & 1 ? (c >>> 1) ^ polynomial : c >>> 1;
    return c;
  });
  const all = [first];
  for (let k = 1; k < 8; k += 1) {
    const before = all[k - 1] as Int32Array;
    all.push(before.map((c) => (c >>> 8) ^ (first[c & 0xff] as number)));
  }
  return all;
})();

/** CRC-32C (Castagnoli) of `data` from `start` to `end`, unsigned. Processes eight bytes per step, because every published byte passes here. */
export const crc32c = (data: Uint8Array, start = 0, end = data.length): number => {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = tables as unknown as [
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
  ];
  let c = -1;
  let at = start;
  for (const last = end - 8; at <= last; at += 8) {
    c ^= data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16) | (data[at + 3]! << 24);
    c =
      t7[c & 0xff]! ^
      t6[(c >>> 8) & 0xff]! ^
      t5[(c >>> 16) & 0xff]! ^
      t4[c >>> 24]! ^
      t3[data[at + 4]!]! ^
      t2[data[at + 5]!]! ^
      t1[data[at + 6]!]! ^
      t0[data[at + 7]!]!;
  }
  for (; at < end; at += 1) c = (c >>> 8) ^ t0[(c ^ data[at]!) & 0xff]!;
  return ~c >>> 0;
};

/** Bytes of a batch before its first record. */
export const batchOverhead = 61;
export const crcAt = 17;
export const attributesAt = 21;
/** The only record format that the adapter writes and reads. */
export const magic = 2;

const zigzag = (n: number): number => (n << 1) ^ (n >> 31);

const sizeOfVarint = (n: number): number => {
  let rest = zigzag(n) >>> 0;
  let size = 1;
  for (; rest > 0x7f; rest >>>= 7) size += 1;
  return size;
};

const lengthOf = (value: string | Uint8Array): number =>
  typeof value === 'string' ? Buffer.byteLength(value) : value.byteLength;

/** Writes into one buffer, from left to right. */
class Writer {
  at = 0;
  readonly buffer: Buffer;

  constructor(size: number) {
    this.buffer = Buffer.allocUnsafe(size);
  }

  varint(n: number): void {
    let rest = zigzag(n) >>> 0;
    for (; rest > 0x7f; rest >>>= 7) this.buffer[this.at++] = (rest & 0x7f) | 0x80;
    this.buffer[this.at++] = rest;
  }

  sized(value: string | Uint8Array, length: number): void {
    this.varint(length);
    if (typeof value === 'string') this.buffer.write(value, this.at, length);
    else this.buffer.set(value, this.at);
    this.at += length;
  }
}

interface Sized {
  readonly record: OutgoingRecord;
  readonly headers: readonly (readonly [name: string, value: string, nameLength: number, valueLength: number])[];
  readonly key: number;
  readonly value: number;
  /** Length of the record after its length field. */
  readonly body: number;
}

const sizedField = (length: number): number => sizeOfVarint(length) + length;

const measure = (record: OutgoingRecord, index: number): Sized => {
  const key = lengthOf(record.key);
  const value = lengthOf(record.value);
  const headers = Object.entries(record.headers ?? {}).map(
    ([name, text]) => [name, text, lengthOf(name), lengthOf(text)] as const,
  );
  let body = 2 + sizeOfVarint(index) + sizedField(key) + sizedField(value) + sizeOfVarint(headers.length);
  for (const [, , name, text] of headers) body += sizedField(name) + sizedField(text);
  return { record, headers, key, value, body };
};

/** Maximum bytes of a record in a batch. */
export const recordSize = (record: OutgoingRecord): number => measure(record, 0x7fff_ffff).body + 5;

const writeRecord = (writer: Writer, { record, headers, key, value, body }: Sized, index: number): void => {
  writer.varint(body);
  writer.buffer[writer.at++] = 0;
  writer.varint(0);
  writer.varint(index);
  writer.sized(record.key, key);
  writer.sized(record.value, value);
  writer.varint(headers.length);
  for (const [name, text, nameLength, textLength] of headers) {
    writer.sized(name, nameLength);
    writer.sized(text, textLength);
  }
};

/**
 * Encodes records as one batch (record batch format 2) with one timestamp, ms since 1970. The library's encoder creates
 * an object for every field; this one writes into a single buffer, at a third of the cost.
 */
export const encodeBatch = (records: readonly OutgoingRecord[], at: number): Buffer => {
  const sized = records.map(measure);
  const bytes = sized.reduce((sum, { body }) => sum + sizeOfVarint(body) + body, batchOverhead);
  const writer = new Writer(bytes);
  const { buffer } = writer;
  buffer.writeBigInt64BE(0n, 0);
  buffer.writeInt32BE(bytes - 12, 8);
  buffer.writeInt32BE(-1, 12);
  buffer.writeInt8(magic, 16);
  buffer.writeInt16BE(0, attributesAt);
  buffer.writeInt32BE(records.length - 1, 23);
  buffer.writeBigInt64BE(BigInt(at), 27);
  buffer.writeBigInt64BE(BigInt(at), 35);
  buffer.writeBigInt64BE(-1n, 43);
  buffer.writeInt16BE(-1, 51);
  buffer.writeInt32BE(-1, 53);
  buffer.writeInt32BE(records.length, 57);
  writer.at = batchOverhead;
  sized.forEach((record, index) => writeRecord(writer, record, index));
  buffer.writeUInt32BE(crc32c(buffer, attributesAt, bytes), crcAt);
  return buffer;
};
