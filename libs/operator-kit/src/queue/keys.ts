import { createDueTimes } from './due-times.ts';

/**
 * Which keys are due, which run, which wait. A key has one wish at most: to run as soon as it may, or at its earliest time. A run takes the wish;
 * one that comes meanwhile stays until the run has ended.
 */
export interface Keys {
  /** Wishes a run at once. */
  add(key: string): void;
  /** Wishes a run at a time, unless there is an earlier wish. */
  addAt(key: string, at: number): void;
  /** Takes the key that has been due for longest and does not run; undefined when there is none, or too many run. */
  take(now: number): string | undefined;
  /** The run of a key has ended. */
  finish(key: string): void;
  /** Takes the wish of a key back. */
  remove(key: string): void;
  /** Takes all wishes back. */
  clear(): void;
  /** When the next key comes due that is not due yet. */
  nextDue(): number | undefined;
  running(): number;
  /** Keys that are due and do not run. */
  waiting(): number;
}

/** Makes an empty one that lets `concurrency` keys run at a time. */
export const createKeys = (concurrency: number): Keys => {
  /** In the order in which they came due. */
  const due = new Set<string>();
  /** Due as well, but running; they go to the end of the line when their run ends. */
  const again = new Set<string>();
  const running = new Set<string>();
  let later = createDueTimes();

  const add = (key: string): void => {
    later.remove(key);
    (running.has(key) ? again : due).add(key);
  };

  return {
    add,
    addAt(key, at) {
      if (!due.has(key) && !again.has(key)) later.add(key, at);
    },
    take(now) {
      for (const key of later.take(now)) add(key);
      const [key] = due;
      if (key === undefined || running.size >= concurrency) return undefined;
      due.delete(key);
      running.add(key);
      return key;
    },
    finish(key) {
      running.delete(key);
      if (again.delete(key)) due.add(key);
    },
    remove(key) {
      due.delete(key);
      again.delete(key);
      later.remove(key);
    },
    clear() {
      due.clear();
      again.clear();
      later = createDueTimes();
    },
    nextDue: () => later.next(),
    running: () => running.size,
    waiting: () => due.size,
  };
};
