import { isRelayError } from '@ranger-relay/errors';
import { BoundedMap, type Clock } from '@ranger-relay/runtime';

/** How a forwarder uses a store that may be unavailable: one attempt a call, and no call for a while after one that failed. */
export interface StoreAccess {
  /** Calls the store once; undefined when it is unavailable. */
  ask<T>(call: () => Promise<T>): Promise<T | undefined>;
  /**
   * Retries a write that the store did not acknowledge until it does, for the next owner of the partition. A later write
   * of the same key replaces it. The write must be safe to repeat after other processes have written.
   */
  retryWrite(key: string, write: () => Promise<unknown>): void;
}

/** After a failed call, the process does not call the store for this long, ms. */
const awayMs = 500;
/** Maximum number of writes to retry; the oldest are dropped. */
const limit = 40_000;
/** Writes in parallel: one round trip of moderate size. */
const atOnce = 500;

/** Creates the store access of one process. */
export const createStoreAccess = (clock: Clock): StoreAccess => {
  const missed = new BoundedMap<() => Promise<unknown>>(limit);
  let awayUntil = 0;
  let waiting = false;

  const ask: StoreAccess['ask'] = async (call) => {
    if (clock.monotonic() < awayUntil) return undefined;
    try {
      return await call();
    } catch (error) {
      if (!isRelayError(error, 'kv_unavailable')) throw error;
      awayUntil = clock.monotonic() + awayMs;
      return undefined;
    }
  };

  const writeOne = async ([key, write]: [string, () => Promise<unknown>]): Promise<boolean> => {
    const isWritten = (await ask(async () => (await write(), true))) ?? false;
    if (isWritten && missed.get(key) === write) missed.delete(key);
    return isWritten;
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
    clock.after(awayMs, () => {
      void writeAll().finally(() => {
        waiting = false;
        later();
      });
    });
  };

  return {
    ask,
    retryWrite(key, write) {
      missed.set(key, write);
      later();
    },
  };
};
