import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { notices } from '../bundle/licenses.mjs';
import { writeBundle } from '../bundle/write-bundle.mjs';
import { megabytes } from './pack.mjs';
import { bundledPackages } from './sbom/lock.mjs';
import { sbomOf } from './sbom/sbom.mjs';
import { distributionOf } from './system.mjs';

/** @typedef {import('./definitions.mjs').ImageDefinition} ImageDefinition */

const rule = `\n${'='.repeat(80)}\n\n`;

/**
 * Everything that an image must be handed on with.
 * @param {object} parts
 * @param {string} parts.own our own licence
 * @param {readonly string[]} parts.moduleIds what is in the bundles
 * @param {import('./node-package.mjs').NodePackage} parts.node
 * @param {readonly import('./system.mjs').SystemPackage[]} parts.packages
 */
const licensesText = ({ own, moduleIds, node, packages }) =>
  [
    `ranger-relay\n\n${own.trim()}\n`,
    `In the bundles\n\n${notices(moduleIds)}`,
    `Node ${node.version}\n\n${node.license.trim()}\n`,
    ...packages.map(({ name, version, copyright }) => `${name} ${version}\n\n${copyright.trim()}\n`),
  ].join(rule);

/** @param {string} text */
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Whether a path stands in a text as a whole: `/src` does not stand in `libs/bus/src`. @param {string} text @param {string} path */
const stands = (text, path) => new RegExp(String.raw`(?<![\w.@-])${escaped(path)}(?![\w-])`).test(text);

/**
 * Whether a file tells of the machine that made it: a path of it, or where a source map would lie.
 * @param {string} text
 * @param {readonly string[]} paths folders of this machine
 * @returns {string | undefined} what it tells
 */
export const leakIn = (text, paths) =>
  paths.find((path) => path.length > 1 && stands(text, path)) ??
  /[/*]# sourceMappingURL=(?!data:|\$)\S+/.exec(text)?.[0];

/**
 * @param {readonly { path: string, text: string }[]} files
 * @param {readonly string[]} paths folders of this machine
 * @throws naming the first file that tells of the machine
 */
export const refuseLeaks = (files, paths) => {
  for (const { path, text } of files) {
    const leak = leakIn(text, paths);
    if (leak !== undefined) throw new Error(`${path} tells of the machine that made it: ${leak}`);
  }
};

/**
 * What stands around the bundles of an image.
 * @typedef {object} Surroundings
 * @property {string} root folder of the workspace, without a slash at the end
 * @property {string} created ISO time
 * @property {import('./sbom/lock.mjs').Lock} lock `packages` of the lockfile
 * @property {import('./node-package.mjs').NodePackage} node
 * @property {string} nodeHash SHA-256 of its binary in the image, in hex
 * @property {import('./system.mjs').System | undefined} system what is taken from this machine; nothing when the base is another's
 * @property {(line: string) => void} say
 */

/** @param {ImageDefinition} definition @param {string} folder @param {Surroundings} around @returns {Promise<string[]>} modules */
const bundlePrograms = async ({ programs }, folder, { root, say }) => {
  const modules = new Set();
  for (const program of programs) {
    const { moduleIds, bytes } = await writeBundle(root, { ...program, file: join(folder, program.file) });
    for (const id of moduleIds) modules.add(id);
    say(`bundled ${program.file}, ${megabytes(bytes)}`);
  }
  return [...modules];
};

/**
 * Fills a new folder with what lies in /app of an image, with the modes that it has there.
 * @param {ImageDefinition} definition
 * @param {string} folder what it held before is removed
 * @param {Surroundings} around
 * @returns {Promise<string[]>} names of the files
 * @throws when a file tells of this machine, or a package in a bundle is not in the lockfile
 */
export const stageApp = async (definition, folder, around) => {
  const { root, lock, node, system } = around;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const moduleIds = await bundlePrograms(definition, folder, around);
  const { name, folder: source, programs } = definition;
  const packages = system?.packages ?? [];
  const own = await readFile(join(root, 'LICENSE'), 'utf8');
  const bundled = bundledPackages(root, moduleIds);
  const distribution = distributionOf(system?.osRelease ?? '');
  /** @type {Record<string, string>} */
  const texts = {
    'package.json': `${JSON.stringify({ name, version: lock[source]?.version, private: true, type: 'module' })}\n`,
    'LICENSES.txt': licensesText({ own, moduleIds, node, packages }),
    'sbom.cdx.json': sbomOf({ ...around, system: packages, distribution, image: definition, bundled }),
  };
  for (const [file, text] of Object.entries(texts)) await writeFile(join(folder, file), text);
  const names = [...programs.map(({ file }) => file), ...Object.keys(texts)];
  const files = names.map(async (path) => ({ path, text: await readFile(join(folder, path), 'utf8') }));
  refuseLeaks(await Promise.all(files), [root, homedir()]);
  for (const file of names) await chmod(join(folder, file), 0o444);
  return names;
};
