import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSource } from './imports.mjs';

/**
 * One source file of a package.
 * @typedef {{ path: string, lines: number, specifiers: readonly string[], exits: boolean, looseTests: boolean, names: readonly string[] }} SourceFile
 */

/**
 * @typedef {{ name?: string, private?: boolean, dependencies?: Record<string, string>, devDependencies?: Record<string, string>,
 *   optionalDependencies?: Record<string, string> }} Manifest
 */

/**
 * One folder of the workspace.
 * @typedef {object} Package
 * @property {string} folder like `libs/errors`
 * @property {Manifest | undefined} manifest undefined for a folder that is no package
 * @property {readonly string[] | undefined} references folders its tsconfig.json refers to; undefined without one
 * @property {readonly SourceFile[]} files paths are relative to the root
 */

/** @param {string} file @returns {any} */
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

const skipped = new Set(['node_modules', 'dist', 'out', '.turbo']);

/** @param {string} root @param {string} folder @returns {string[]} */
const sourcesIn = (root, folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : sourcesIn(root, path);
    return /\.(ts|mjs|js)$/.test(entry.name) ? [path] : [];
  });

/** @param {string} root @param {string} path @returns {SourceFile} */
const readFile = (root, path) => {
  const text = readFileSync(join(root, path), 'utf8');
  return { path, lines: text.split('\n').length - 1, ...readSource(text, path.endsWith('.ts') ? 'ts' : 'js') };
};

/** @param {string} folder @param {string} path */
const resolveFolder = (folder, path) => join(folder, path).split('\\').join('/');

/** @param {string} root @param {string} folder @returns {Package} */
const readPackage = (root, folder) => {
  const inFolder = (/** @type {string} */ name) => join(root, folder, name);
  return {
    folder,
    manifest: existsSync(inFolder('package.json')) ? readJson(inFolder('package.json')) : undefined,
    references: existsSync(inFolder('tsconfig.json'))
      ? (readJson(inFolder('tsconfig.json')).references ?? []).map((/** @type {{ path: string }} */ { path }) =>
          resolveFolder(folder, path),
        )
      : undefined,
    files: sourcesIn(root, folder).map((path) => readFile(root, path)),
  };
};

/** Every folder that must have a row in the table of packages. @param {string} root */
export const packageFolders = (root) => [
  ...['libs', 'services', 'cli'].flatMap((group) =>
    existsSync(join(root, group)) ? readdirSync(join(root, group)).map((name) => `${group}/${name}`) : [],
  ),
  'e2e',
  'scripts',
  'images',
  'charts',
  'k8s',
];

/**
 * Reads the whole tree from disk.
 * @param {string} root
 * @returns {{ architecture: string, rootManifest: Manifest, packages: Package[] }}
 */
export const readTree = (root) => ({
  architecture: readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'),
  rootManifest: readJson(join(root, 'package.json')),
  packages: packageFolders(root).map((folder) => readPackage(root, folder)),
});
