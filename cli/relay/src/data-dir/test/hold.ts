import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';

const holder = fileURLToPath(new URL('./holder.ts', import.meta.url));

/** Starts a process that holds a DATA_DIR; resolves when it does. */
export const holdInChild = async (t: ExecutionContext, path: string, ...what: string[]): Promise<ChildProcess> => {
  const child = spawn(process.execPath, ['--conditions=@ranger-relay/source', holder, path, ...what], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child;
};

/** Kills it as a power cut would. */
export const killNow = async (child: ChildProcess): Promise<void> => {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
};
