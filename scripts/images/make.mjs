import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { appFiles, makeApp } from './app.mjs';
import { writeArchive } from './archive.mjs';
import { storeBlob } from './blobs.mjs';
import { fileContent } from './content.mjs';
import { platformOf } from './node-package.mjs';
import { documentsOf } from './oci.mjs';
import { megabytes, sizeWithin } from './size.mjs';
import { baseFiles } from './system/base-files.mjs';
import { tarOf, withFolders } from './tar.mjs';
import { nonRoot } from './user.mjs';

/**
 * @typedef {import('./definitions.mjs').ImageDefinition} ImageDefinition
 * @typedef {import('./blobs.mjs').Blob} Blob
 * @typedef {{ of: string, blob: Blob }} StoredLayer
 * @typedef {Awaited<ReturnType<typeof import('./ingredients.mjs').gatherNode>>} NodeIngredients
 * @typedef {Awaited<ReturnType<typeof import('./ingredients.mjs').gatherSystem>>} SystemIngredients
 * @typedef {NodeIngredients & SystemIngredients & { arch: import('./node-package.mjs').Arch, work: string, out: string,
 *   say: (line: string) => void }} Making
 */

/** One image in `images.json`. @typedef {ReturnType<typeof entryOf>} ImageEntry */

/** How a program of ours runs, whichever it is. */
export const running = {
  user: `${nonRoot}:${nonRoot}`,
  folder: '/app',
  entrypoint: ['/usr/local/bin/node'],
  env: [
    'PATH=/usr/local/bin',
    'NODE_ENV=production',
    'SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt',
    'DATA_DIR=/data',
    // The C library would keep a pool of memory for each thread.
    'MALLOC_ARENA_MAX=1',
  ],
};

/** @param {Making} making @param {string} of @param {readonly import('./tar.mjs').Entry[]} entries @returns {Promise<StoredLayer>} */
const storeLayer = async ({ work, say }, of, entries) => {
  const blob = await storeBlob(work, tarOf(withFolders(entries)), of);
  say(`layer ${of}, ${megabytes(blob.size)}, ${blob.digest.slice(0, 19)}`);
  return { of, blob };
};

/** The layers that all images share: the system, and Node. @param {Making} making */
export const sharedLayers = async (making) => {
  const { libraries, system: packages, osRelease, node, binary } = making;
  const files = baseFiles({ libraries, packages, osRelease, roots: node.roots });
  return [
    await storeLayer(making, 'system', files),
    await storeLayer(making, 'node', [{ path: 'usr/local/bin/node', mode: 0o755, content: fileContent(binary) }]),
  ];
};

/** @param {ImageDefinition} definition @param {string} version @param {string} created */
export const labelsOf = ({ name, description }, version, created) => ({
  'org.opencontainers.image.title': name,
  'org.opencontainers.image.description': description,
  'org.opencontainers.image.version': version,
  'org.opencontainers.image.licenses': 'Apache-2.0',
  'org.opencontainers.image.created': created,
});

/** @param {Making} making @param {{ name: string, reference: string, size: number, documents: import('./oci.mjs').ImageDocuments, layers: readonly StoredLayer[] }} image */
const entryOf = ({ arch, node, nodeHash, strip, created }, { name, reference, size, documents, layers }) => ({
  name,
  reference,
  file: `${name}.tar`,
  platform: `linux/${platformOf(arch)}`,
  created,
  digest: documents.digest,
  id: documents.id,
  size,
  layers: layers.map(({ of, blob }) => ({ of, digest: blob.digest, size: blob.size })),
  node: { package: node.name, version: node.version, sha256: nodeHash, stripped_by: strip },
});

/**
 * Makes one image on the shared layers.
 * @param {Making} making @param {ImageDefinition} definition @param {readonly StoredLayer[]} shared
 * @returns {Promise<ImageEntry>}
 * @throws when it is larger than it may be
 */
export const makeImage = async (making, definition, shared) => {
  const { work, out, created, lock, arch, say } = making;
  const { name, folder, limit, command } = definition;
  const app = join(work, `app-${name}`);
  const names = await makeApp(definition, app, making);
  const layers = [...shared, await storeLayer(making, `app-${name}`, appFiles(app, names))];
  const size = sizeWithin(
    name,
    layers.map(({ of, blob }) => ({ of, size: blob.size })),
    limit,
  );
  const version = lock[folder]?.version ?? '';
  const reference = `docker.io/ranger-relay/${name}:${version}`;
  const labels = labelsOf(definition, version, created);
  const spec = { ...running, reference, architecture: platformOf(arch), created, command, labels };
  const documents = documentsOf(spec, layers);
  await writeArchive(
    join(out, `${name}.tar`),
    reference,
    documents,
    layers.map(({ blob }) => blob),
  );
  say(`${reference} ${megabytes(size)} of ${megabytes(limit)}, ${documents.digest.slice(0, 19)}`);
  return entryOf(making, { name, reference, size, documents, layers });
};

/** Writes what was made beside the archives; what an earlier call made and this one did not stays. @param {string} out @param {readonly ImageEntry[]} made */
export const writeList = async (out, made) => {
  const path = join(out, 'images.json');
  /** @type {ImageEntry[]} */
  const before = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).images : [];
  const kept = before.filter(({ name }) => made.every((image) => image.name !== name));
  const images = [...kept, ...made].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  await writeFile(path, `${JSON.stringify({ images }, undefined, 2)}\n`);
};
