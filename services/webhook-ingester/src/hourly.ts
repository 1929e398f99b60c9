import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';

/** Lets through the first of each key in an hour, over all replicas while the store is there. */
export interface Hourly {
  /** Runs `tell` when the key was not told within the hour; never blocks, never throws. */
  once(key: string, tell: () => void): void;
}

const hourMs = 3_600_000;
const keysLimit = 10_000;

/** Makes an hourly gate. This process remembers for itself first, so that a flood does not reach the store. */
export const createHourly = (state: KvSpace, clock: Clock): Hourly => {
  const told = new Map<string, number>();
  const remember = (key: string): void => {
    told.delete(key);
    told.set(key, clock.monotonic());
    const oldest = told.keys().next();
    if (told.size > keysLimit && !oldest.done) told.delete(oldest.value);
  };
  return {
    once(key, tell) {
      const last = told.get(key);
      if (last !== undefined && clock.monotonic() - last < hourMs) return;
      remember(key);
      void state
        .setIfAbsent(`hourly.${key}`, 'told', { ttlMs: hourMs })
        .catch(() => true)
        .then((first) => (first ? tell() : undefined));
    },
  };
};
