import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createdAt } from './created.mjs';
import { readNodePackage, stripTo } from './node-package.mjs';
import { librariesOf } from './system/libraries.mjs';
import { packagesOf } from './system/packages.mjs';

/** @param {string} path */
const sha256Of = async (path) => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
};

/** Like `debian-12`. @param {string} osRelease */
export const distributionOf = (osRelease) =>
  ['ID', 'VERSION_ID'].flatMap((key) => new RegExp(`^${key}="?([^"\n]+)`, 'm').exec(osRelease)?.[1] ?? []).join('-');

/**
 * What every image is made of: Node as it goes into the image, when it is all said to have been made, and what the lockfile says.
 * @param {string} root folder of the workspace
 * @param {{ arch: import('./node-package.mjs').Arch, folder: string, env: NodeJS.ProcessEnv }} how `folder` takes the binary
 */
export const gatherNode = async (root, { arch, folder, env }) => {
  const node = await readNodePackage(root, arch);
  const binary = join(folder, 'node');
  const strip = await stripTo(node.binary, binary);
  /** @type {import('./sbom/lock.mjs').Lock} */
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return { root, lock, node, binary, strip, nodeHash: await sha256Of(binary), created: await createdAt(root, env) };
};

/** What the images take from this machine, for a program. @param {string} program */
export const gatherSystem = async (program) => {
  const libraries = await librariesOf(program);
  const osRelease = readFileSync('/etc/os-release', 'utf8');
  return { libraries, osRelease, system: await packagesOf(libraries), distribution: distributionOf(osRelease) };
};
