import type { Clock } from '@ranger-relay/runtime';
import { createTurns } from '../push/turns.ts';

/** Lets one task of a name run at a time; what waits in here takes no place and holds no message. */
export interface Queue {
  /** Runs the task in its turn; undefined when the signal was aborted before, or its turn did not come in five minutes. */
  run<T>(name: string, signal: AbortSignal, task: () => Promise<T>): Promise<T | undefined>;
}

const longestMs = 300_000;

const abortOf = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

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
      // A task that has begun is finished, whatever the signal says.
      return Promise.race([turn, abortOf(signal).then(() => (begun ? turn : undefined))]);
    },
  };
};
