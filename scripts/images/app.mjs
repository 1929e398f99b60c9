import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { notices } from '../bundle/licenses.mjs';
import { writeBundle } from '../bundle/write-bundle.mjs';
import { fileContent } from './content.mjs';
import { bundledPackages } from './sbom/bundled.mjs';
import { sbomOf } from './sbom/sbom.mjs';
import { megabytes } from './size.mjs';

const rule = `\n${'='.repeat(80)}\n\n`;

/**
 * Everything that an image must be handed on with.
 * @param {object} parts
 * @param {string} parts.own our own licence
 * @param {readonly string[]} parts.moduleIds what is in the bundles
 * @param {import('./node-package.mjs').NodePackage} parts.node
 * @param {readonly import('./system/packages.mjs').SystemPackage[]} parts.system
 */
export const licensesText = ({ own, moduleIds, node, system }) =>
  [
    `ranger-relay\n\n${own.trim()}\n`,
    `In the bundles\n\n${notices(moduleIds)}`,
    `Node ${node.version}\n\n${node.license.trim()}\n`,
    ...system.map(({ name, version, copyright }) => `${name} ${version}\n\n${copyright.trim()}\n`),
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

/** @typedef {import('./definitions.mjs').ImageDefinition} ImageDefinition */

/**
 * What stands around the bundles of an image.
 * @typedef {object} Surroundings
 * @property {string} root folder of the workspace, without a slash at the end
 * @property {string} created ISO time
 * @property {import('./sbom/lock.mjs').Lock} lock `packages` of the lockfile
 * @property {import('./node-package.mjs').NodePackage} node
 * @property {string} nodeHash SHA-256 of its binary in the image, in hex
 * @property {readonly import('./system/packages.mjs').SystemPackage[]} system
 * @property {string} distribution like `debian-12`
 * @property {(line: string) => void} say
 */

/** Names of what lies beside the bundles. */
export const besides = /** @type {const} */ ({
  manifest: 'package.json',
  sbom: 'sbom.cdx.json',
  licenses: 'LICENSES.txt',
});

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
 * Fills a folder with what lies in /app of an image.
 * @param {ImageDefinition} definition
 * @param {string} folder made when it is not there
 * @param {Surroundings} around
 * @returns {Promise<string[]>} names of the files
 * @throws when a file tells of this machine, or a package in a bundle is not in the lockfile
 */
export const makeApp = async (definition, folder, around) => {
  const { root, lock, node, system } = around;
  mkdirSync(folder, { recursive: true });
  const moduleIds = await bundlePrograms(definition, folder, around);
  const { name, folder: source } = definition;
  const own = readFileSync(join(root, 'LICENSE'), 'utf8');
  /** @type {Record<string, string>} */
  const written = {
    [besides.manifest]: `${JSON.stringify({ name, version: lock[source]?.version, private: true, type: 'module' })}\n`,
    [besides.licenses]: licensesText({ own, moduleIds, node, system }),
    [besides.sbom]: sbomOf({ ...around, image: definition, bundled: bundledPackages(root, moduleIds) }),
  };
  for (const [file, text] of Object.entries(written)) writeFileSync(join(folder, file), text);
  const names = [...definition.programs.map(({ file }) => file), ...Object.keys(written)];
  refuseLeaks(
    names.map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') })),
    [root, homedir()],
  );
  return names;
};

/** The files of such a folder as they lie in the image. @param {string} folder @param {readonly string[]} names @returns {import('./tar.mjs').Entry[]} */
export const appFiles = (folder, names) =>
  names.map((name) => ({ path: `app/${name}`, mode: 0o444, content: fileContent(join(folder, name)) }));
