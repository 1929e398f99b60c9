import type { Clock, Timer } from '@ranger-relay/runtime';

/** Tells consumers and readers that records may have come. */
export interface RecordNotifier {
  /** Calls `listener` after records of the slot were published, here or by another process. Returns how to stop. */
  listen(slots: readonly number[], listener: () => void): () => void;
  /** Records of these slots are stored. */
  published(slots: Iterable<number>): void;
  close(): void;
}

/** How often other processes' writes are looked for, ms. */
const pollMs = 500;

/**
 * Makes the wake-ups of one file. `version` answers a number that changes with every write of another process; it is asked
 * by one timer for all listeners, and not at all without one.
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
      // A store that does not answer shows elsewhere; the next poll asks again.
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
