import { join } from 'node:path';
import { runChild } from '../../cli/relay/bin/child.mjs';
import { commands, usage } from './commands.mjs';
import { install } from './install.mjs';
import { findNode, withTools } from './node24.mjs';
import { say } from './say.mjs';
import { runTests } from './tests.mjs';

/** Nothing that is installed calls home. */
const quiet = { TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', TURBO_NO_UPDATE_NOTIFIER: '1' };

/**
 * @param {import('./commands.mjs').Command} command
 * @param {{ root: string, node: string, env: NodeJS.ProcessEnv, args: readonly string[] }} given
 * @returns {Promise<number>}
 */
const execute = async ({ kind, cwd = '.', first, args: own, env: unset }, { root, node, env, args: more }) => {
  const args = [...own, ...more];
  const place = { cwd: join(root, cwd), env: { ...unset, ...env } };
  for (const script of first ?? []) {
    const code = await runChild({ command: node, args: script, stdio: ['inherit', 'ignore', 'inherit'], ...place });
    if (code !== 0) return code;
  }
  if (kind === 'tests') return runTests({ node, root, args, ...place });
  if (kind === 'tool') return runChild({ command: args[0] ?? '', args: args.slice(1), stdio: 'inherit', ...place });
  return runChild({ command: node, args, stdio: ['inherit', 'inherit', 'inherit', 'ipc'], ...place });
};

/**
 * Installs when needed, then runs a command with Node 24.
 * @param {readonly string[]} argv name of the command and its arguments
 * @param {string} root folder of the workspace
 * @returns {Promise<number>} exit code
 */
export const main = async ([name = '', ...args], root) => {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    say(usage());
    return 2;
  }
  try {
    const installed = await install(root);
    if (installed !== 0) return installed;
    const env = { ...withTools(root, process.env), ...quiet };
    return await execute(command, { root, node: findNode(root), env, args });
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return 1;
  }
};
