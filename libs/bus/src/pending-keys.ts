import type { PendingKey } from './port.ts';

/** Adds what waits under a key in one place to what waits under it in others. */
export const addPending = (found: Map<string, PendingKey>, more: PendingKey): void => {
  const known = found.get(more.key);
  found.set(
    more.key,
    known
      ? {
          key: more.key,
          count: known.count + more.count,
          oldest: Math.min(known.oldest, more.oldest),
          newest: Math.max(known.newest, more.newest),
        }
      : more,
  );
};
