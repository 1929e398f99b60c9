import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from './run.mjs';

/** What `tar` would tell of this machine, fixed: the same files give the same bytes. */
const fixed = ['--format=gnu', '--sort=name', '--mtime=@0', '--numeric-owner', '--mode=ug-s'];

/** @param {number} id of user and group */
const ownedBy = (id) => [`--owner=${id}`, `--group=${id}`];

/** Millions of bytes, as limits and registries count them. @param {number} bytes */
export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/** @param {string} path @returns {Promise<string>} SHA-256 in hex */
export const sha256Of = async (path) => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
};

/** Bytes in a layout that are named by their hash. @typedef {{ digest: string, size: number }} Blob */

const blobs = 'blobs/sha256';

/** @param {string} digest */
const blobPath = (digest) => `blobs/${digest.replace(':', '/')}`;

/** Names a finished file by its hash. @param {string} layout @param {string} file in it @returns {Promise<Blob>} */
const storeBlob = async (layout, file) => {
  const path = join(layout, file);
  const hex = await sha256Of(path);
  const { size } = await stat(path);
  await mkdir(join(layout, blobs), { recursive: true });
  await rename(path, join(layout, blobs, hex));
  return { digest: `sha256:${hex}`, size };
};

/** @param {string} layout @param {unknown} value @returns {Promise<Blob>} */
const storeJson = async (layout, value) => {
  await writeFile(join(layout, 'json'), JSON.stringify(value));
  return storeBlob(layout, 'json');
};

/** One layer of an image. @typedef {{ of: string, blob: Blob }} Layer */

/**
 * Stores folders as one layer: the same files with the same modes give the same bytes.
 * @param {string} layout folder that takes blobs
 * @param {string} of name of the layer
 * @param {readonly { folder: string, owner?: number }[]} parts folders whose content becomes `/`; `owner` is the number of user and group, 0 when not given
 * @returns {Promise<Layer>}
 */
export const packLayer = async (layout, of, parts) => {
  const file = `${of}.part`;
  for (const { folder, owner = 0 } of parts) {
    const names = (await readdir(folder)).sort();
    await run('tar', [...fixed, ...ownedBy(owner), '-C', folder, '-rf', join(layout, file), '--', ...names]);
  }
  return { of, blob: await storeBlob(layout, file) };
};

/**
 * What an image is, besides its files.
 * @typedef {object} ImageSpec
 * @property {string} reference full name with host and tag, as a cluster resolves it
 * @property {'amd64' | 'arm64'} architecture
 * @property {string} created ISO time
 * @property {string} user numbers of user and group, `65532:65532`
 * @property {string} folder where it starts
 * @property {readonly string[]} entrypoint
 * @property {readonly string[]} [command] default arguments of the entry point
 * @property {readonly string[]} [env]
 * @property {Readonly<Record<string, string>>} [labels]
 */

const media = (/** @type {string} */ kind) => `application/vnd.oci.image.${kind}`;

/** @param {ImageSpec['architecture']} architecture */
const platformOf = (architecture) => ({
  architecture,
  os: 'linux',
  ...(architecture === 'arm64' && { variant: 'v8' }),
});

/** @param {ImageSpec} spec @param {readonly Layer[]} layers */
const configOf = ({ architecture, created, user, folder, entrypoint, command, env, labels }, layers) => ({
  created,
  ...platformOf(architecture),
  config: { User: user, Env: env, Entrypoint: entrypoint, Cmd: command, WorkingDir: folder, Labels: labels },
  rootfs: { type: 'layers', diff_ids: layers.map(({ blob }) => blob.digest) },
  history: layers.map(({ of }) => ({ created, created_by: of })),
});

/** @param {ImageSpec} spec @param {Blob} manifest */
const indexOf = ({ reference, architecture }, manifest) => ({
  schemaVersion: 2,
  mediaType: media('index.v1+json'),
  manifests: [
    {
      mediaType: media('manifest.v1+json'),
      ...manifest,
      annotations: {
        'io.containerd.image.name': reference,
        'org.opencontainers.image.ref.name': reference.slice(reference.lastIndexOf(':') + 1),
      },
      platform: platformOf(architecture),
    },
  ],
});

/**
 * Writes an image as one tar, which is there whole or not at all: an OCI layout, which containerd and registries' tools read, with the one
 * file more that older daemons look for.
 * @param {string} layout folder that holds the layers' blobs
 * @param {string} out path of the archive
 * @param {ImageSpec} spec
 * @param {readonly Layer[]} layers from the lowest up
 * @returns {Promise<{ digest: string, id: string }>} what a cluster names the image by, and the digest of its configuration
 */
export const packImage = async (layout, out, spec, layers) => {
  const config = await storeJson(layout, configOf(spec, layers));
  const manifest = await storeJson(layout, {
    schemaVersion: 2,
    mediaType: media('manifest.v1+json'),
    config: { mediaType: media('config.v1+json'), ...config },
    layers: layers.map(({ blob }) => ({ mediaType: media('layer.v1.tar'), ...blob })),
  });
  const held = [manifest, config, ...layers.map(({ blob }) => blob)].map(({ digest }) => blobPath(digest));
  const [, configPath, ...layerPaths] = held;
  const documents = {
    'oci-layout': { imageLayoutVersion: '1.0.0' },
    'index.json': indexOf(spec, manifest),
    'manifest.json': [{ Config: configPath, RepoTags: [spec.reference], Layers: layerPaths }],
  };
  for (const [name, value] of Object.entries(documents)) await writeFile(join(layout, name), JSON.stringify(value));
  const members = [...Object.keys(documents), 'blobs', blobs, ...held];
  await run('tar', [...fixed, ...ownedBy(0), '-C', layout, '--no-recursion', '-cf', `${out}.part`, '--', ...members]);
  await rename(`${out}.part`, out);
  return { digest: manifest.digest, id: config.digest };
};
