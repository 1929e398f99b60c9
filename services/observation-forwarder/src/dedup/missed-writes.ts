import { isRelayError } from '@ranger-relay/errors';
import { BoundedMap, type Clock } from '@ranger-relay/runtime';

/** Writes that the store did not acknowledge. They are repeated until it does, for the next owner of the partition. */
export interface MissedWrites {
  /** Repeats a write; a later one of the same key replaces it. The write must be safe to repeat after other processes have written. */
  note(key: string, write: () => Promise<unknown>): void;
}

/** Pause between two attempts, ms. */
const pauseMs = 500;
/** Maximum number of writes; the oldest are dropped. */
const limit = 20_000;
/** Writes in parallel: one round trip of moderate size. */
const atOnce = 500;

/** Keeps the missed writes of one process. */
export const keepMissedWrites = (clock: Clock): MissedWrites => {
  const missed = new BoundedMap<() => Promise<unknown>>(limit);
  let waiting = false;

  const writeOne = async ([key, write]: [string, () => Promise<unknown>]): Promise<boolean> => {
    try {
      await write();
    } catch (error) {
      if (!isRelayError(error, 'kv_unavailable')) throw error;
      return false;
    }
    if (missed.get(key) === write) missed.delete(key);
    return true;
  };

  const writeAll = async (): Promise<void> => {
    while (missed.size > 0) {
      const some = await Promise.all([...missed].slice(0, atOnce).map(writeOne));
      if (some.includes(false)) return;
    }
  };

  const later = (): void => {
    if (waiting || missed.size === 0) return;
    waiting = true;
    clock.after(pauseMs, () => {
      void writeAll().finally(() => {
        waiting = false;
        later();
      });
    });
  };

  return {
    note(key, write) {
      missed.set(key, write);
      later();
    },
  };
};
