import { Worker } from 'node:worker_threads';
import { compileLightly } from './light-compiler.ts';
import type { AheadFacts, AheadFile, AheadOrder, AheadResult, AheadTask } from './task.ts';

/** A thread that reads ahead. What it answers is null when it cannot be used for whatever reason. */
export interface Ahead {
  /** Size and hash of a whole file. */
  hash(file: AheadFile): Promise<AheadFacts | null>;
  /** Reads one part of a file. */
  read(task: AheadTask): Promise<AheadResult | null>;
  close(): Promise<void>;
}

/** Begins with a file whose compiled code is kept: a thread asks for that itself, and compiling takes half of its start. */
const withCompiled = (url: string): string =>
  `data:text/javascript,import m from 'node:module';m.enableCompileCache?.();await import(${JSON.stringify(url)})`;

// Unbuilt the thread has a file of its own; bundled it is the same file, which finds itself in a thread.
const workerUrl = import.meta.url.endsWith('.ts')
  ? new URL('./ahead-worker.ts', import.meta.url)
  : new URL(withCompiled(import.meta.url));

/** Starts a thread, which is ready in the time that the small files take. */
export const startAhead = (): Ahead => {
  compileLightly();
  const worker = new Worker(workerUrl);
  const waiting: ((answer: unknown) => void)[] = [];
  let isGone = false;
  const gone = (): void => {
    isGone = true;
    for (const resolve of waiting.splice(0)) resolve(null);
  };
  worker.on('message', (answer) => waiting.shift()?.(answer));
  worker.once('error', gone);
  worker.once('exit', gone);

  const ask = (order: AheadOrder): Promise<unknown> =>
    new Promise((resolve) => {
      if (isGone) return resolve(null);
      waiting.push(resolve);
      worker.postMessage(order, []);
    });

  return {
    hash: (file) => ask({ kind: 'hash', file }) as Promise<AheadFacts | null>,
    read: (task) => ask({ kind: 'read', task }) as Promise<AheadResult | null>,
    async close() {
      await worker.terminate();
    },
  };
};
