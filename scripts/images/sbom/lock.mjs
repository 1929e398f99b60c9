import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { packageFolders } from '../../bundle/licenses.mjs';

/**
 * One entry of a lockfile's `packages`.
 * @typedef {object} Locked
 * @property {string} [name]
 * @property {string} [version]
 * @property {string} [integrity]
 * @property {string} [license]
 * @property {boolean} [link]
 * @property {string} [resolved]
 * @property {Readonly<Record<string, string>>} [dependencies]
 * @property {Readonly<Record<string, string>>} [devDependencies]
 * @property {Readonly<Record<string, string>>} [optionalDependencies]
 * @property {Readonly<Record<string, string>>} [peerDependencies]
 */

/** @typedef {Readonly<Record<string, Locked>>} Lock */

const marker = 'node_modules/';

/** Whether a package comes from the registry; the others are of the workspace. @param {string} key */
export const isFetched = (key) => key.includes(marker);

/** The name of a package by its key. @param {string} key @param {Locked} locked */
export const nameOf = (key, { name }) => name ?? key.slice(key.lastIndexOf(marker) + marker.length);

/** @param {Lock} lock @param {string} key @throws when the lockfile does not have it */
export const lockedAt = (lock, key) => {
  const locked = lock[key];
  if (locked === undefined) throw new Error(`${key} is in a bundle and not in package-lock.json; run npm install`);
  return locked;
};

/** The folder above in which packages may lie. @param {string} key */
const parentOf = (key) => {
  const at = key.lastIndexOf(`/${marker}`);
  return at < 0 ? '' : key.slice(0, at);
};

/** Where Node finds a package when a file in `from` asks for it. @param {Lock} lock @param {string} from @param {string} name */
const resolveIn = (lock, from, name) => {
  for (let folder = from; ; folder = parentOf(folder)) {
    const key = `${folder === '' ? '' : `${folder}/`}${marker}${name}`;
    const locked = lock[key];
    if (locked !== undefined) return locked.link ? (locked.resolved ?? key) : key;
    if (folder === '') return undefined;
  }
};

/**
 * The keys of what a package depends on. A package of ours has what is bundled into it among its development dependencies.
 * @param {Lock} lock @param {string} key
 * @returns {string[]}
 */
export const dependenciesOf = (lock, key) => {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = lockedAt(lock, key);
  const own = isFetched(key) ? {} : devDependencies;
  const names = Object.keys({ ...dependencies, ...own, ...optionalDependencies, ...peerDependencies });
  return names.flatMap((name) => resolveIn(lock, key, name) ?? []);
};

/** @param {string} root @param {string} folder */
const below = (root, folder) => relative(root, folder).split(sep).join('/');

/** The package of the workspace that a source belongs to. @param {string} root @param {string} file */
const workspaceOf = (root, file) => {
  for (let folder = dirname(file); folder.startsWith(root) && folder !== root; folder = dirname(folder))
    if (existsSync(join(folder, 'package.json'))) return below(root, folder);
  return undefined;
};

/**
 * The packages that modules come from, by the keys of the lockfile, sorted. Modules that the bundler made up are passed over.
 * @param {string} root folder of the workspace, without a slash at the end
 * @param {readonly string[]} moduleIds
 * @returns {string[]}
 */
export const bundledPackages = (root, moduleIds) => {
  const own = moduleIds
    .filter((id) => id.startsWith(`${root}${sep}`) && !id.includes(`${sep}node_modules${sep}`))
    .flatMap((id) => workspaceOf(root, id) ?? []);
  const fetched = packageFolders(moduleIds).map((folder) => below(root, folder));
  return [...new Set([...own, ...fetched])].sort();
};
