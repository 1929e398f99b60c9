import { digestOf } from './blobs.mjs';

/** @typedef {import('./blobs.mjs').Blob} Blob */

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

/**
 * One of the files' layers, from the lowest up.
 * @typedef {{ of: string, blob: Pick<Blob, 'digest' | 'size'> }} Layer
 */

const media = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
};

/** @param {unknown} value */
const json = (value) => Buffer.from(JSON.stringify(value));

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

/** @param {string} mediaType @param {Uint8Array} bytes */
const descriptorOf = (mediaType, bytes) => ({ mediaType, digest: digestOf(bytes), size: bytes.length });

/**
 * The documents of an image.
 * @typedef {object} ImageDocuments
 * @property {string} digest what a registry and a cluster name the image by
 * @property {string} id digest of its configuration
 * @property {Uint8Array} config
 * @property {Uint8Array} manifest
 * @property {Uint8Array} index
 */

/** @param {ImageSpec} spec @param {readonly Layer[]} layers @returns {ImageDocuments} */
export const documentsOf = (spec, layers) => {
  const config = json(configOf(spec, layers));
  const manifest = json({
    schemaVersion: 2,
    mediaType: media.manifest,
    config: descriptorOf(media.config, config),
    layers: layers.map(({ blob }) => ({ mediaType: media.layer, digest: blob.digest, size: blob.size })),
  });
  const described = descriptorOf(media.manifest, manifest);
  const index = json({
    schemaVersion: 2,
    mediaType: media.index,
    manifests: [
      {
        ...described,
        annotations: {
          'io.containerd.image.name': spec.reference,
          'org.opencontainers.image.ref.name': spec.reference.slice(spec.reference.lastIndexOf(':') + 1),
        },
        platform: platformOf(spec.architecture),
      },
    ],
  });
  return { digest: described.digest, id: digestOf(config), config, manifest, index };
};
