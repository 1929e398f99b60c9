import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { tryRun } from './run.mjs';

/**
 * A package of the machine whose files are in an image.
 * @typedef {object} SystemPackage
 * @property {string} name
 * @property {string} version
 * @property {string} architecture as the package manager calls it
 * @property {string} status what the package manager knows of it
 * @property {string} copyright
 */

/** `/lib/x` and `/usr/lib/x` are one file, and the package manager knows it by either. @param {string} path */
const namesOf = (path) => {
  const real = realpathSync(path);
  const short = real.replace(/^\/usr(?=\/lib)/, '');
  return [...new Set([path, real, short, `/usr${short}`])];
};

/** @param {string} path @param {typeof tryRun} ask @returns {Promise<string | undefined>} */
const ownerOf = async (path, ask) => {
  for (const name of namesOf(path)) {
    const line = (await ask('dpkg-query', ['-S', name]))?.split('\n').find((each) => each.endsWith(`: ${name}`));
    if (line !== undefined) return line.slice(0, line.indexOf(': ')).split(',')[0];
  }
  return undefined;
};

/** @param {string} name @param {typeof tryRun} ask @returns {Promise<SystemPackage>} */
const describe = async (name, ask) => {
  const status = (await ask('dpkg-query', ['-s', name])) ?? '';
  const field = (/** @type {string} */ key) => new RegExp(`^${key}: (.*)$`, 'm').exec(status)?.[1] ?? '';
  const bare = field('Package');
  const copyright = `/usr/share/doc/${bare}/copyright`;
  return {
    name: bare,
    version: field('Version'),
    architecture: field('Architecture'),
    status,
    copyright: existsSync(copyright) ? readFileSync(copyright, 'utf8') : '(the machine holds no copyright file)\n',
  };
};

/**
 * The packages that these files of the machine come from, sorted.
 * @param {readonly string[]} files
 * @param {typeof tryRun} ask runs a program of the machine
 * @returns {Promise<SystemPackage[]>}
 * @throws for a file that no package owns: nobody could say which version it is, or under which licence
 */
export const packagesOf = async (files, ask = tryRun) => {
  /** @type {Set<string>} */
  const owners = new Set();
  for (const file of files) {
    const owner = await ownerOf(file, ask);
    if (owner === undefined)
      throw new Error(
        `${file} belongs to no package that dpkg knows; make the images on Debian, or with images/Dockerfile`,
      );
    owners.add(owner);
  }
  const packages = await Promise.all([...owners].map((name) => describe(name, ask)));
  return packages.toSorted((a, b) => (a.name < b.name ? -1 : 1));
};
