import { isMainThread } from 'node:worker_threads';

const run = async (): Promise<void> => {
  const [{ processShell }, { runTool }] = await Promise.all([
    import('@ranger-relay/terminal'),
    import('./program/program.ts'),
  ]);
  const code = await runTool(processShell(process), process.argv.slice(2));
  if (code !== 0) process.exitCode = code;
};

// Bundled, the tool's own thread begins here too, and is to load nothing but its own part.
await (isMainThread ? run() : import('./bundle/prefetch/prefetch-worker.ts'));
