import { isMainThread } from 'node:worker_threads';

const run = async (): Promise<void> => {
  const [{ processShell, runProgram }, { syncProgram }] = await Promise.all([
    import('@ranger-relay/terminal'),
    import('./program/program.ts'),
  ]);
  const shell = processShell(process);
  const args = process.argv.slice(2);
  const code = await runProgram(shell, await syncProgram(shell, args), args);
  if (code !== 0) process.exitCode = code;
};

// Bundled, the tool's own thread begins here too, and is to load nothing but its own part.
await (isMainThread ? run() : import('./bundle/ahead/ahead-worker.ts'));
