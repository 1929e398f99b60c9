import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { RelayError } from '@ranger-relay/errors';
import { createTarPacker } from 'modern-tar';
import type { LeftFile } from './folder.ts';

/** Longer names need extended headers, which not every tar reads. */
const nameBytes = 100;

/** As many bytes as the listing says: a file that grows meanwhile is truncated, one that shrinks is padded with zeros. */
async function* contentOf({ path, bytes }: LeftFile): AsyncGenerator<Uint8Array> {
  if (bytes === 0) return;
  let left = bytes;
  for await (const chunk of createReadStream(path, { end: bytes - 1 })) {
    left -= (chunk as Buffer).length;
    yield chunk as Buffer;
  }
  yield Buffer.alloc(left);
}

/** Creates a tar archive of these files, piece by piece. The user who unpacks a file owns it. */
const tarOf = (files: readonly LeftFile[]): ReadableStream<Uint8Array> => {
  const { readable, controller } = createTarPacker();
  const pack = async (): Promise<void> => {
    for (const file of files) {
      const header = { name: file.name, size: file.bytes, mode: 0o600, mtime: new Date(file.modifiedMs) };
      await ReadableStream.from(contentOf(file)).pipeTo(controller.add(header));
    }
    controller.finalize();
  };
  pack().catch((error: unknown) => controller.error(error));
  return readable;
};

/**
 * Creates a compressed archive of these files as lines of base64, which fits into a log and can be unpacked on any machine.
 * @throws RelayError `config_file_invalid` for a name that is too long
 */
export const packedLines = async (files: readonly LeftFile[]): Promise<string[]> => {
  for (const { name, path } of files)
    if (Buffer.byteLength(name) > nameBytes)
      throw new RelayError('config_file_invalid', {
        details: { path, reason: `its name has over ${nameBytes} bytes` },
      });
  const packed = await pipeline(tarOf(files), createGzip(), buffer);
  return packed.toString('base64').match(/.{1,76}/g) ?? [];
};
