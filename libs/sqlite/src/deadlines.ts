import type { Clock, Timer } from '@ranger-relay/runtime';

/** Calls that wait, each with its time. One timer serves all of them. */
export interface Deadlines<T> {
  /** Remembers `item` for `ms` milliseconds. */
  add(item: T, ms: number): void;
  /** Forgets it: it was answered. */
  delete(item: T): void;
  /** Forgets all of them and returns them. */
  clear(): readonly T[];
}

/** Calls `expire` for each item whose time has come. */
export const createDeadlines = <T>(clock: Clock, expire: (item: T) => void): Deadlines<T> => {
  const dues = new Map<T, number>();
  let timer: Timer | undefined;
  let armedFor = Infinity;

  const arm = (due: number): void => {
    timer?.cancel();
    armedFor = due;
    timer = due === Infinity ? undefined : clock.after(Math.max(0, due - clock.monotonic()), sweep);
  };

  const sweep = (): void => {
    const now = clock.monotonic();
    const expired: T[] = [];
    let next = Infinity;
    for (const [item, due] of dues) {
      if (due <= now) expired.push(item);
      else next = Math.min(next, due);
    }
    for (const item of expired) dues.delete(item);
    arm(next);
    for (const item of expired) expire(item);
  };

  return {
    add(item, ms) {
      const due = clock.monotonic() + ms;
      dues.set(item, due);
      if (due < armedFor) arm(due);
    },
    delete: (item) => void dues.delete(item),
    clear() {
      const items = [...dues.keys()];
      dues.clear();
      arm(Infinity);
      return items;
    },
  };
};
