import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from '../../cli/relay/bin/child.mjs';
import { codeOf } from './code-of.mjs';
import { withLock } from './lock.mjs';
import { say } from './say.mjs';

/**
 * One entry of a lockfile's `packages`.
 * @typedef {{ version?: string, integrity?: string, link?: boolean, resolved?: string, optional?: boolean, peer?: boolean }} LockedPackage
 */

/** @param {LockedPackage} wanted @param {LockedPackage | undefined} present */
const agrees = (wanted, present) => {
  if (present === undefined) return wanted.optional === true || wanted.peer === true;
  return (
    wanted.version === present.version &&
    wanted.integrity === present.integrity &&
    Boolean(wanted.link) === Boolean(present.link)
  );
};

/** @param {string} text @returns {Record<string, LockedPackage> | undefined} */
const packagesOf = (text) => {
  try {
    const packages = JSON.parse(text).packages;
    return packages !== null && typeof packages === 'object' ? packages : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Why an installation is needed, or undefined when what is installed is what the lockfile asks for.
 * Optional packages of other platforms may be absent.
 * @param {string} wantedLock content of package-lock.json
 * @param {string | undefined} presentLock content of node_modules/.package-lock.json, which npm writes last
 * @returns {string | undefined}
 */
export const installReason = (wantedLock, presentLock) => {
  if (presentLock === undefined) return 'nothing is installed yet';
  const wanted = packagesOf(wantedLock);
  if (wanted === undefined) throw new Error('package-lock.json cannot be read; restore it from version control');
  const present = packagesOf(presentLock);
  if (present === undefined) return 'the last installation did not finish';
  const stale = Object.entries(wanted).find(([path, entry]) => path !== '' && !agrees(entry, present[path]));
  return stale === undefined ? undefined : `${stale[0]} is not what package-lock.json asks for`;
};

/** @param {string} file */
const readIfThere = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/** @param {string} root */
const reasonIn = (root) =>
  installReason(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
    readIfThere(join(root, 'node_modules', '.package-lock.json')),
  );

/** The npm that runs this script, else the one on the PATH. @param {NodeJS.ProcessEnv} env @returns {[string, string[]]} */
const npmCommand = (env) => {
  const script = env.npm_execpath;
  return script?.endsWith('npm-cli.js') ? [process.execPath, [script]] : ['npm', []];
};

/**
 * Installs what the lockfile asks for, when it is not installed; says so on standard error.
 * @param {string} root folder of the workspace
 * @param {{ env?: NodeJS.ProcessEnv, tell?: (line: string) => void }} options
 * @returns {Promise<number>} exit code; 0 when there was nothing to do
 */
export const install = async (root, { env = process.env, tell = say } = {}) => {
  if (reasonIn(root) === undefined) return 0;
  const work = async () => {
    const reason = reasonIn(root);
    if (reason === undefined) return 0;
    tell(`Installing the dependencies first: ${reason}.`);
    const [command, args] = npmCommand(env);
    const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const code = await runChild({ command, args: [...args, ...options], cwd: root, env, stdio: ['ignore', 2, 2] });
    tell(code === 0 ? 'Installed.' : `The installation failed with exit code ${code}; the lines above say why.`);
    return code;
  };
  return withLock(join(root, '.installing'), work, (owner) =>
    tell(`Process ${owner ?? 'unknown'} installs the dependencies; waiting for it.`),
  );
};
