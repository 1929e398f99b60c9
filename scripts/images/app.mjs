import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { writeBundle } from '../bundle/write-bundle.mjs';
import { fileContent } from './content.mjs';
import { refuseLeaks } from './leaks.mjs';
import { licensesText } from './licenses.mjs';
import { bundledPackages } from './sbom/bundled.mjs';
import { sbomOf } from './sbom/sbom.mjs';
import { megabytes } from './size.mjs';

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
