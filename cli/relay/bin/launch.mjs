import { existsSync } from 'node:fs';
import nodeModule, { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { choose } from './choose.mjs';
import { runChild } from './child.mjs';

/**
 * Runs a program on a Node that is new enough: in this process, or in one of a packaged Node. Runs on Node 20 itself.
 * @param {Pick<import('./choose.mjs').Surroundings, 'name' | 'sources' | 'bundle' | 'flags' | 'env'>} program
 * @returns {Promise<void>}
 */
export const launch = async (program) => {
  const choice = choose({
    ...program,
    host: process,
    exists: existsSync,
    resolve: createRequire(import.meta.url).resolve,
    cache: join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), program.name),
  });
  if (choice.kind === 'import') {
    nodeModule.enableCompileCache(choice.cache);
    await import(pathToFileURL(program.bundle).href);
  } else if (choice.kind === 'spawn') {
    const args = [...choice.args, ...process.argv.slice(2)];
    process.exitCode = await runChild({
      command: choice.command,
      args,
      env: { ...choice.env, ...process.env },
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    });
  } else {
    process.stderr.write(`${choice.sentence}\n`);
    process.exitCode = 1;
  }
};
