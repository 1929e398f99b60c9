import { Worker } from 'node:worker_threads';
import type { AheadResult, AheadTask } from './task.ts';

/** A thread that reads a part of a file. */
export interface Ahead {
  /** Reads one part; null when it cannot be used for whatever reason. */
  read(task: AheadTask): Promise<AheadResult | null>;
  close(): Promise<void>;
}

// Unbuilt the thread has a file of its own; bundled it is the same file, which finds itself in a thread.
const workerUrl = import.meta.url.endsWith('.ts') ? new URL('./ahead-worker.ts', import.meta.url) : import.meta.url;

/** Starts a thread, which is ready in the time that the small files take. */
export const startAhead = (): Ahead => {
  const worker = new Worker(new URL(workerUrl));
  const ended = new Promise<null>((resolve) => {
    worker.once('error', () => resolve(null));
    worker.once('exit', () => resolve(null));
  });
  return {
    read(task) {
      const answered = new Promise<AheadResult | null>((resolve) => worker.once('message', resolve));
      worker.postMessage(task, []);
      return Promise.race([answered, ended]);
    },
    async close() {
      await worker.terminate();
    },
  };
};
