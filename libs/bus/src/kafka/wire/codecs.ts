import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { decompressLz4 } from './lz4.ts';
import { decompressSnappy } from './snappy.ts';

/** How the records of a batch are compressed. */
export interface Codec {
  readonly name: string;
  /** @throws Error when the data are broken, or larger than `maxBytes` */
  readonly decompress: (data: Buffer, maxBytes: number) => Buffer;
}

/** By the number in a batch's attributes; `none` is 0. */
const codecs: readonly Codec[] = [
  { name: 'none', decompress: (data) => data },
  { name: 'gzip', decompress: (data, maxOutputLength) => gunzipSync(data, { maxOutputLength }) },
  { name: 'snappy', decompress: decompressSnappy },
  { name: 'lz4', decompress: decompressLz4 },
  { name: 'zstd', decompress: (data, maxOutputLength) => zstdDecompressSync(data, { maxOutputLength }) },
];

const mask = 7;

/** The codec that a batch's attributes name; one that is not known refuses. */
export const codecOf = (attributes: number): Codec => {
  const number = attributes & mask;
  return (
    codecs[number] ?? {
      name: `codec ${number}`,
      decompress() {
        throw new Error('this version does not support the codec');
      },
    }
  );
};

/** Values of a topic's `compression.type` whose batches can be read. */
export const readableCompression: ReadonlySet<string> = new Set([
  'producer',
  'uncompressed',
  ...codecs.map(({ name }) => name),
]);
