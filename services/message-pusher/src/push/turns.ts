import type { Clock } from '@ranger-relay/runtime';

/** One task at a time for each name, in the order they came. */
export interface Turns {
  /** Runs the task when its turn comes, or answers undefined when that would be after `withinMs`, or the signal is aborted before. */
  take<T>(
    name: string,
    withinMs: number,
    task: () => Promise<T | undefined>,
    signal?: AbortSignal,
  ): Promise<T | undefined>;
}

/** Resolves with true when `before` does in time. */
const inTime = (before: Promise<void>, ms: number, clock: Clock): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = clock.after(ms, () => resolve(false), true);
    void before.finally(() => {
      timer.cancel();
      resolve(true);
    });
  });

/** Makes the turns of this process. */
export const createTurns = (clock: Clock): Turns => {
  const last = new Map<string, Promise<void>>();

  return {
    async take(name, withinMs, task) {
      const before = last.get(name);
      const done = Promise.withResolvers<void>();
      const tail = (before ?? Promise.resolve()).then(() => done.promise);
      last.set(name, tail);
      try {
        if (before && !(await inTime(before, withinMs, clock))) return undefined;
        return await task();
      } finally {
        done.resolve();
        void tail.then(() => last.get(name) === tail && last.delete(name));
      }
    },
  };
};
