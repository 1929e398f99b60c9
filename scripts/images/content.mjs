import { createReadStream, realpathSync, statSync } from 'node:fs';

/**
 * Bytes whose number is known before they are read.
 * @typedef {{ size: number, read: () => Iterable<Uint8Array> | AsyncIterable<Uint8Array> }} Content
 */

/** @param {string | Uint8Array} value text becomes UTF-8 @returns {Content} */
export const contentOf = (value) => {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return { size: bytes.length, read: () => [bytes] };
};

/** What a file holds, read when it is needed; links are followed. @param {string} path @returns {Content} */
export const fileContent = (path) => {
  const real = realpathSync(path);
  return { size: statSync(real).size, read: () => createReadStream(real) };
};
