import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { RelayError } from '@ranger-relay/errors';
import type { LeftFile } from './folder.ts';

const block = 512;
const nameBytes = 100;

const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;

/** The header of a file in POSIX ustar format, which every tar reads. The user who unpacks the file owns it; its name is in UTF-8. */
const headerOf = ({ name, path, bytes, modifiedMs }: LeftFile): Buffer => {
  if (Buffer.byteLength(name) > nameBytes)
    throw new RelayError('config_file_invalid', { details: { path, reason: `its name has over ${nameBytes} bytes` } });
  const header = Buffer.alloc(block);
  header.write(name, 0);
  header.write(octal(0o600, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(bytes, 12), 124);
  header.write(octal(Math.floor(modifiedMs / 1000), 12), 136);
  // The checksum is computed with blanks in its own field.
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 7)} `, 148);
  return header;
};

const padding = (bytes: number): Buffer => Buffer.alloc((block - (bytes % block)) % block);

async function* contentOf({ path, bytes }: LeftFile): AsyncGenerator<Buffer> {
  if (bytes === 0) return;
  let left = bytes;
  for await (const chunk of createReadStream(path, { end: bytes - 1 })) {
    left -= (chunk as Buffer).length;
    yield chunk as Buffer;
  }
  yield Buffer.alloc(left);
}

/**
 * Creates a tar archive of these files, piece by piece. A file that grows meanwhile is truncated, one that shrinks is padded with zeros.
 * @throws RelayError `config_file_invalid` for a name that is too long
 */
async function* tarOf(files: readonly LeftFile[]): AsyncGenerator<Buffer> {
  for (const file of files) {
    yield headerOf(file);
    yield* contentOf(file);
    yield padding(file.bytes);
  }
  yield Buffer.alloc(2 * block);
}

/** Number of bytes that become one line of 76 characters. */
const lineBytes = 57;

const base64Lines = async (chunks: AsyncIterable<Buffer>): Promise<string[]> => {
  const lines: string[] = [];
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % lineBytes);
    for (let at = 0; at < whole; at += lineBytes) lines.push(bytes.toString('base64', at, at + lineBytes));
    rest = bytes.subarray(whole);
  }
  return rest.length === 0 ? lines : [...lines, rest.toString('base64')];
};

/**
 * Creates a compressed archive of these files as lines of base64, which fits into a log and can be unpacked on any machine.
 * @throws RelayError `config_file_invalid`
 */
export const packedLines = (files: readonly LeftFile[]): Promise<string[]> =>
  pipeline(tarOf(files), createGzip(), base64Lines);
