import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/**
 * Bytes in a file that is named by their hash.
 * @typedef {{ digest: string, size: number, path: string }} Blob
 */

/** The hash of these bytes as images name it. @param {Uint8Array | string} bytes */
export const digestOf = (bytes) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/**
 * Stores bytes as they come.
 * @param {string} folder where blobs lie
 * @param {AsyncIterable<Uint8Array>} chunks
 * @param {string} label a name that no other blob has while it is written
 * @returns {Promise<Blob>}
 */
export const storeBlob = async (folder, chunks, label) => {
  const hash = createHash('sha256');
  let size = 0;
  const unfinished = join(folder, `${label}.part`);
  await pipeline(
    chunks,
    async function* measured(source) {
      for await (const chunk of source) {
        hash.update(chunk);
        size += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(unfinished),
  );
  const hex = hash.digest('hex');
  const path = join(folder, hex);
  await rename(unfinished, path);
  return { digest: `sha256:${hex}`, size, path };
};
