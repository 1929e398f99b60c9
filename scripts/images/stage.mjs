import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stageApp } from './app.mjs';
import { createdAt } from './created.mjs';
import { readNodePackage, stripTo } from './node-package.mjs';
import { sha256Of } from './pack.mjs';
import { readSystem, stageSystem } from './system.mjs';

/** @typedef {Awaited<ReturnType<typeof stage>>} Staged */

/**
 * Lays out the images' files with the modes that they have there, in folders whose content becomes `/`: `node`, what is `writable`, each image's own
 * by its name, and `system`, which the Dockerfile takes from its base.
 * @param {string} root folder of the workspace
 * @param {readonly import('./definitions.mjs').ImageDefinition[]} definitions
 * @param {{ arch: import('./node-package.mjs').Arch, folder: string, hasBase: boolean, env: NodeJS.ProcessEnv, say: (line: string) => void }} how
 *   `folder` takes it all, `hasBase` leaves `system` out
 */
export const stage = async (root, definitions, { arch, folder, hasBase, env, say }) => {
  const node = await readNodePackage(root, arch);
  const place = async (/** @type {string[]} */ ...path) => {
    const made = join(folder, ...path);
    await mkdir(made, { recursive: true });
    return made;
  };
  const binary = join(await place('node/usr/local/bin'), 'node');
  const strip = await stripTo(node.binary, binary);
  await chmod(binary, 0o755);
  await chmod(await place('writable/data'), 0o700);
  const system = hasBase ? undefined : await readSystem(node.binary);
  if (system) await stageSystem(await place('system'), system, node.roots);
  /** @type {import('./sbom/lock.mjs').Lock} */
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')).packages;
  const [nodeHash, created] = [await sha256Of(binary), await createdAt(root, env)];
  const around = { root, lock, node, nodeHash, created, system, say };
  for (const definition of definitions) await stageApp(definition, join(folder, definition.name, 'app'), around);
  return { lock, node, nodeHash, created, strip };
};
