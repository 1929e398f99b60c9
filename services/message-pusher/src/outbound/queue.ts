import type { Clock } from '@ranger-relay/runtime';
import { createTurns } from '../push/turns.ts';

/** Lets one task of a name run at a time; what waits in here takes no place and holds no message. */
export interface Queue {
  /** Runs the task in its turn; undefined when the signal was aborted before, or its turn did not come in time. */
  run<T>(name: string, signal: AbortSignal, task: () => Promise<T>): Promise<T | undefined>;
}

/** What waits here keeps others of its partition from running, so it comes back later instead, ms. */
const longestMs = 5_000;

/** Makes the queues of this process. */
export const createQueue = (clock: Clock): Queue => {
  const turns = createTurns(clock);
  return {
    async run(name, signal, task) {
      let begun = false;
      const turn = turns.take(name, longestMs, async () => {
        if (signal.aborted) return undefined;
        begun = true;
        return task();
      });
      const gone = Promise.withResolvers<void>();
      const onAbort = (): void => gone.resolve();
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        // A task that has begun is finished, whatever the signal says.
        return await Promise.race([turn, gone.promise.then(() => (begun ? turn : undefined))]);
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
};
