import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { readEntry, type LedgerEntry, type LedgerKey } from './entry.ts';
import { readBoth, replace } from './ledger.ts';
import { replayed } from './transitions.ts';

const mostTries = 5;

/**
 * Lets a text be sent again after a failure; the entry as it is then, null without one.
 * @throws RelayError `kv_unavailable`
 */
export const replayEntry = async (
  state: KvSpace,
  at: LedgerKey,
  clock: Pick<Clock, 'now'>,
): Promise<LedgerEntry | null> => {
  for (let attempt = 0; attempt < mostTries; attempt += 1) {
    const [text, before] = await readBoth(state, at);
    const entry = readEntry(text ?? before);
    if (entry === null) return null;
    const next = replayed(entry, clock.now());
    if (next === entry) return entry;
    if (await replace(state, at.key, text, JSON.stringify(next))) return next;
  }
  const [text, before] = await readBoth(state, at);
  return readEntry(text ?? before);
};
