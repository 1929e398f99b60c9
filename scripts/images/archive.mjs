import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { contentOf, fileContent } from './content.mjs';
import { tarOf, withFolders } from './tar.mjs';

/** @typedef {import('./blobs.mjs').Blob} Blob @typedef {import('./oci.mjs').ImageDocuments} ImageDocuments */

/** @param {string} digest */
const blobPath = (digest) => `blobs/${digest.replace(':', '/')}`;

/** @param {string} path @param {import('./content.mjs').Content} content @returns {import('./tar.mjs').Entry} */
const file = (path, content) => ({ path, mode: 0o644, content });

/**
 * An image as one tar: an OCI layout, which containerd and registries' tools read, with the one file more that older daemons look for.
 * @param {string} reference name of the image
 * @param {ImageDocuments} documents
 * @param {readonly Blob[]} layers from the lowest up
 * @returns {ReadableStream<Uint8Array>}
 */
const archiveOf = (reference, { digest, id, config, manifest, index }, layers) => {
  const older = [
    { Config: blobPath(id), RepoTags: [reference], Layers: layers.map((layer) => blobPath(layer.digest)) },
  ];
  return tarOf(
    withFolders([
      file('oci-layout', contentOf('{"imageLayoutVersion":"1.0.0"}')),
      file('index.json', contentOf(index)),
      file('manifest.json', contentOf(JSON.stringify(older))),
      file(blobPath(digest), contentOf(manifest)),
      file(blobPath(id), contentOf(config)),
      ...layers.map((layer) => file(blobPath(layer.digest), fileContent(layer.path))),
    ]),
  );
};

/**
 * Writes an image as one file, which is there whole or not at all.
 * @param {string} path @param {Parameters<typeof archiveOf>} image
 */
export const writeArchive = async (path, ...image) => {
  await pipeline(archiveOf(...image), createWriteStream(`${path}.part`));
  await rename(`${path}.part`, path);
};
