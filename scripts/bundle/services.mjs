import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Names of the services that can run alone, sorted. @param {string} root folder of the workspace */
export const serviceNames = (root) =>
  readdirSync(join(root, 'services'))
    .filter((name) => existsSync(join(root, 'services', name, 'src/main.ts')))
    .sort();
