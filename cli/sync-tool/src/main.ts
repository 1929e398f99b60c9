import { isMainThread } from 'node:worker_threads';
import { processShell, runProgram } from '@ranger-relay/terminal';
import { syncProgram } from './program/program.ts';

const run = async (): Promise<void> => {
  const shell = processShell(process);
  const args = process.argv.slice(2);
  const code = await runProgram(shell, await syncProgram(shell, args), args);
  if (code !== 0) process.exitCode = code;
};

// Bundled, the tool's own thread begins here too.
await (isMainThread ? run() : import('./bundle/ahead/ahead-worker.ts'));
