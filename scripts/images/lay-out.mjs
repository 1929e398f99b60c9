import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeApp } from './app.mjs';
import { gatherNode } from './ingredients.mjs';

/**
 * Lays out what the Dockerfile copies, with the modes that it has in the images: `node`, what is `writable`, and /app of each image by its name.
 * @param {string} root folder of the workspace
 * @param {readonly import('./definitions.mjs').ImageDefinition[]} definitions
 * @param {{ arch: import('./node-package.mjs').Arch, folder: string, env: NodeJS.ProcessEnv, say: (line: string) => void }} how `folder` takes it all
 */
export const layOut = async (root, definitions, { arch, folder, env, say }) => {
  const data = join(folder, 'writable/data');
  await mkdir(data, { recursive: true });
  await chmod(data, 0o700);
  const gathered = await gatherNode(root, { arch, folder, env });
  await chmod(gathered.binary, 0o755);
  for (const definition of definitions) {
    const app = join(folder, definition.name);
    await rm(app, { recursive: true, force: true });
    const names = await makeApp(definition, app, { ...gathered, system: [], distribution: '', say });
    for (const name of names) await chmod(join(app, name), 0o444);
  }
};
