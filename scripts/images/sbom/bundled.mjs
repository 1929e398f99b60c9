import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { packageFolders } from '../../bundle/licenses.mjs';

/** @param {string} root @param {string} folder */
const below = (root, folder) => relative(root, folder).split(sep).join('/');

/** The package of the workspace that a source belongs to. @param {string} root @param {string} file */
const workspaceOf = (root, file) => {
  for (let folder = dirname(file); folder.startsWith(root) && folder !== root; folder = dirname(folder))
    if (existsSync(join(folder, 'package.json'))) return below(root, folder);
  return undefined;
};

/**
 * What bundles are made of, by the keys of the lockfile, sorted.
 * @typedef {{ fetched: readonly string[], own: readonly string[] }} Bundled
 */

/**
 * The packages that modules come from: those of others and those of the workspace. Modules that the bundler made up are passed over.
 * @param {string} root folder of the workspace, without a slash at the end
 * @param {readonly string[]} moduleIds
 * @returns {Bundled}
 */
export const bundledPackages = (root, moduleIds) => {
  const own = moduleIds
    .filter((id) => id.startsWith(`${root}${sep}`) && !id.includes(`${sep}node_modules${sep}`))
    .flatMap((id) => workspaceOf(root, id) ?? []);
  const fetched = packageFolders(moduleIds).map((folder) => below(root, folder));
  return { fetched, own: [...new Set(own)].sort() };
};
