import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { LeftFile } from './folder.ts';
import { tarOf } from './tar.ts';

/** Bytes that make one line of 76 characters. */
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
 * A compressed archive of these files as lines of base64: what a log can carry and any machine can unpack.
 * @throws RelayError `config_file_invalid`
 */
export const packedLines = (files: readonly LeftFile[]): Promise<string[]> =>
  pipeline(tarOf(files), createGzip(), base64Lines);
