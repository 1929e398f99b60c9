import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from './child.mjs';
import { codeOf } from './code-of.mjs';
import { installReason } from './install-needed.mjs';
import { withLock } from './lock.mjs';
import { say } from './say.mjs';

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
