import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { endProcess } from '../harness/product.ts';

/** A process of the bench that has reported ready. */
export interface BenchChild<Ready> {
  readonly pid: number;
  readonly ready: Ready;
  /** Sends a message; resolves with the answer. */
  ask<T>(message: unknown): Promise<T>;
  end(): Promise<void>;
}

const message = async <T>(child: ChildProcess, file: string): Promise<T> => {
  const over = new AbortController();
  const failed = once(child, 'exit', { signal: over.signal }).then(([code]) => {
    throw new Error(`${file} ended with ${String(code)}`);
  });
  try {
    const [value] = (await Promise.race([once(child, 'message', { signal: over.signal }), failed])) as [T];
    return value;
  } finally {
    failed.catch(() => undefined);
    over.abort();
  }
};

const fromSources = ['--max-semi-space-size=6', '--conditions=@ranger-relay/source'];

/** Starts a file beside this one, or one by its path, with these variables; resolves with the first message it sends. */
export const startChild = async <Ready>(
  file: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  execArgv: readonly string[] = fromSources,
): Promise<BenchChild<Ready>> => {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [...args], {
    execArgv: [...execArgv],
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ready = await message<Ready>(child, file);
  return {
    pid: child.pid ?? 0,
    ready,
    ask(value) {
      const answer = message<never>(child, file);
      child.send(value as object);
      return answer;
    },
    end: () => endProcess(child, 'SIGTERM'),
  };
};
