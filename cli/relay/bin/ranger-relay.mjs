#!/usr/bin/env node
// The command runs on Node 24. This launcher runs on Node 20 too, and finds a newer one.
import { existsSync } from 'node:fs';
import nodeModule, { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { choose } from './choose.mjs';
import { runChild } from './child.mjs';

const choice = choose({
  host: process,
  sources: fileURLToPath(new URL('../src/main.ts', import.meta.url)),
  bundle: fileURLToPath(new URL('../dist/ranger-relay.js', import.meta.url)),
  command: process.argv[2],
  exists: existsSync,
  resolve: createRequire(import.meta.url).resolve,
  cache: join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'ranger-relay'),
});

if (choice.kind === 'import') {
  nodeModule.enableCompileCache(choice.cache);
  await import('../dist/ranger-relay.js');
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
