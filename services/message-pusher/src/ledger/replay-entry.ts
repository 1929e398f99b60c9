import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { entryTtlMs, readEntry, type LedgerEntry } from './entry.ts';
import { replayed } from './transitions.ts';

const mostTries = 5;

/**
 * Lets a text be sent again after a failure; the entry as it is then, null without one.
 * @throws RelayError `kv_unavailable`
 */
export const replayEntry = async (
  state: KvSpace,
  key: string,
  clock: Pick<Clock, 'now'>,
): Promise<LedgerEntry | null> => {
  for (let attempt = 0; attempt < mostTries; attempt += 1) {
    const text = await state.get(key);
    const entry = readEntry(text);
    if (text === null || entry === null) return null;
    const next = replayed(entry, clock.now());
    if (next === entry) return entry;
    if (await state.compareAndSet(key, text, JSON.stringify(next), { ttlMs: entryTtlMs })) return next;
  }
  return readEntry(await state.get(key));
};
