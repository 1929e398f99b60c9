import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { labelsOf, nonRoot, running } from './definitions.mjs';
import { platformOf } from './node-package.mjs';
import { megabytes, packImage, packLayer } from './pack.mjs';
import { stage } from './stage.mjs';

/**
 * @typedef {import('./definitions.mjs').ImageDefinition} ImageDefinition
 * @typedef {import('./pack.mjs').Layer} Layer
 * @typedef {{ arch: import('./node-package.mjs').Arch, out: string, env: NodeJS.ProcessEnv, say: (line: string) => void }} How
 */

/** One image in `images.json`. @typedef {Awaited<ReturnType<typeof makeImage>>} ImageEntry */

/**
 * @param {string} name of the image
 * @param {readonly Layer[]} layers
 * @param {number} limit
 * @returns {number} bytes of all layers
 * @throws when they are more than the limit, with each layer's share
 */
export const sizeWithin = (name, layers, limit) => {
  const total = layers.reduce((sum, { blob }) => sum + blob.size, 0);
  if (total <= limit) return total;
  const shares = layers.map(({ of, blob }) => `${of} ${megabytes(blob.size)}`).join(', ');
  throw new Error(`${name} has ${megabytes(total)} and may have ${megabytes(limit)}: ${shares}`);
};

/**
 * @param {{ staged: import('./stage.mjs').Staged, work: string, layers: readonly Layer[] } & How} making `layers` from the lowest up
 * @param {ImageDefinition} definition
 */
const makeImage = async ({ staged, work, layers, arch, out, say }, definition) => {
  const { name, folder, limit, command } = definition;
  const { lock, node, nodeHash, created, strip } = staged;
  const size = sizeWithin(name, layers, limit);
  const version = lock[folder]?.version ?? '';
  const reference = `docker.io/ranger-relay/${name}:${version}`;
  const labels = labelsOf(definition, version, created);
  const architecture = platformOf(arch);
  const file = `${name}.tar`;
  const spec = { ...running, reference, architecture, created, command, labels };
  const { digest, id } = await packImage(work, join(out, file), spec, layers);
  say(`${reference} ${megabytes(size)} of ${megabytes(limit)}, ${digest.slice(0, 19)}`);
  return {
    name,
    reference,
    file,
    platform: `linux/${architecture}`,
    created,
    digest,
    id,
    size,
    layers: layers.map(({ of, blob }) => ({ of, ...blob })),
    node: { package: node.name, version: node.version, sha256: nodeHash, stripped_by: strip },
  };
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

/**
 * Makes images as archives; the layers below the programs are the same in all.
 * @param {string} root folder of the workspace
 * @param {readonly ImageDefinition[]} definitions
 * @param {How} how `out` takes the archives and their list
 * @throws when one is larger than it may be
 */
export const makeArchives = async (root, definitions, how) => {
  await mkdir(how.out, { recursive: true });
  const work = await mkdtemp(join(how.out, '.making-'));
  try {
    const staged = await stage(root, definitions, { ...how, folder: work, hasBase: false });
    const layer = async (/** @type {string} */ of, /** @type {Parameters<typeof packLayer>[2]} */ ...parts) => {
      const made = await packLayer(work, of, parts);
      how.say(`layer ${of}, ${megabytes(made.blob.size)}, ${made.blob.digest.slice(0, 19)}`);
      return made;
    };
    const folder = (/** @type {string} */ name) => join(work, name);
    const system = await layer('system', { folder: folder('system') }, { folder: folder('writable'), owner: nonRoot });
    const shared = [system, await layer('node', { folder: folder('node') })];
    const made = [];
    for (const definition of definitions) {
      const own = await layer(`app-${definition.name}`, { folder: folder(definition.name) });
      made.push(await makeImage({ ...how, staged, work, layers: [...shared, own] }, definition));
    }
    await writeList(how.out, made);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
};
