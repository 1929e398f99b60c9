import type { Clock, Timer } from '@ranger-relay/runtime';

/** Notifies consumers and readers that there may be new records. */
export interface RecordNotifier {
  /** Calls `listener` after records of a slot were published, by this or another process. Returns the function that stops it. */
  listen(slots: readonly number[], listener: () => void): () => void;
  /** Called after records of these slots were stored. */
  published(slots: Iterable<number>): void;
  close(): void;
}

/** Interval between two checks for writes of other processes, ms. */
const pollMs = 500;

/**
 * Creates the notifier of one file.
 * @param version returns a number that changes with every write of another process; one timer calls it for all listeners
 */
export const createRecordNotifier = (clock: Clock, version: () => Promise<number>): RecordNotifier => {
  const listeners = new Map<number, Set<() => void>>();
  let timer: Timer | undefined;
  let known: number | undefined;
  let closed = false;

  const wakeAll = (): void => {
    const all = new Set<() => void>();
    for (const set of listeners.values()) for (const listener of set) all.add(listener);
    for (const listener of all) listener();
  };

  const poll = async (): Promise<void> => {
    try {
      const seen = await version();
      if (seen !== known) wakeAll();
      known = seen;
    } catch {
      // Other metrics show an unavailable store; the next poll retries.
    }
    timer = undefined;
    arm();
  };

  const arm = (): void => {
    if (timer || closed || listeners.size === 0) return;
    timer = clock.after(pollMs, () => void poll());
  };

  const remove = (slot: number, listener: () => void): void => {
    const set = listeners.get(slot);
    set?.delete(listener);
    if (set?.size === 0) listeners.delete(slot);
  };

  return {
    listen(slots, listener) {
      for (const slot of slots) {
        const set = listeners.get(slot) ?? new Set();
        listeners.set(slot, set.add(listener));
      }
      arm();
      return () => {
        for (const slot of slots) remove(slot, listener);
      };
    },
    published(slots) {
      for (const slot of slots) for (const listener of listeners.get(slot) ?? []) listener();
    },
    close() {
      closed = true;
      timer?.cancel();
      listeners.clear();
    },
  };
};
