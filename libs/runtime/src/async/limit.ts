import pLimit from 'p-limit';
import type { Clock } from '../clock.ts';
import { endsWithin } from './within.ts';

export { default as pLimit } from 'p-limit';

/**
 * Runs `work` for every item, at most `width` at a time, in order.
 * @returns the results in the order of the items
 * @throws the error of the first item that failed, once the work of all items has ended
 */
export const mapWithConcurrency = async <T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> => {
  const limit = pLimit(width);
  const results = items.map((item) => limit(work, item));
  await Promise.allSettled(results);
  return Promise.all(results);
};

/** Runs one task at a time per name, in order of arrival. */
export interface KeyedMutex {
  /** Runs the task when its turn comes; returns undefined when that takes longer than `withinMs`, or when the signal is aborted before. */
  take<T>(
    name: string,
    withinMs: number,
    task: () => Promise<T | undefined>,
    signal?: AbortSignal,
  ): Promise<T | undefined>;
}

/** Creates the mutex of this process. Not based on p-limit, whose tasks cannot leave the queue. */
export const createKeyedMutex = (clock: Clock): KeyedMutex => {
  const last = new Map<string, Promise<void>>();

  return {
    async take(name, withinMs, task, signal) {
      const before = last.get(name);
      const done = Promise.withResolvers<void>();
      const tail = (before ?? Promise.resolve()).then(() => done.promise);
      last.set(name, tail);
      try {
        const limit = { clock, ms: withinMs, signal, ref: true };
        if (before && !(await endsWithin(limit, before).catch(() => false))) return undefined;
        return signal?.aborted ? undefined : await task();
      } finally {
        done.resolve();
        void tail.then(() => last.get(name) === tail && last.delete(name));
      }
    },
  };
};
