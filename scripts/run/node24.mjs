import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Oldest major version of Node that the product runs on. */
export const neededMajor = 24;

/** @param {string} version like `v24.1.0` or `24.1.0` */
const majorOf = (version) => Number.parseInt(version.replace(/^v/, ''), 10);

/**
 * Where the installed Node binary of a platform lies.
 * @param {string} root @param {string} platform @param {string} arch
 */
export const bundledNode = (root, platform, arch) =>
  join(root, 'node_modules', `node-${platform}-${arch}`, 'bin', 'node');

/**
 * The Node to run with: the installed one, else the host's when it is new enough.
 * @param {string} root
 * @param {{ platform: string, arch: string, version: string, execPath: string }} host
 * @param {(file: string) => boolean} exists
 * @returns {string} path of the binary
 * @throws when there is neither, with a sentence for people
 */
export const findNode = (root, host = process, exists = existsSync) => {
  const bundled = bundledNode(root, host.platform, host.arch);
  if (exists(bundled)) return bundled;
  if (majorOf(host.version) >= neededMajor) return host.execPath;
  throw new Error(
    `Node ${neededMajor} or newer is needed; this is ${host.version}, and none is packaged for ${host.platform} on ` +
      `${host.arch}. Install Node ${neededMajor} from your system's packages and try again.`,
  );
};

/**
 * The environment in which tools find that Node and each other first.
 * @param {string} root @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export const withTools = (root, env) => ({
  ...env,
  PATH: [join(root, 'node_modules', '.bin'), env.PATH].filter(Boolean).join(delimiter),
});
