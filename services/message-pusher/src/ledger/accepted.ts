import type { LedgerEntry } from './entry.ts';

/** Texts that the vendor took from this process, for the time that the store does not know it. */
export interface AcceptedHere {
  add(key: string, entry: LedgerEntry): void;
  get(key: string): LedgerEntry | undefined;
}

const most = 10_000;

/** Makes an empty memory; the oldest go first. */
export const rememberAccepted = (limit = most): AcceptedHere => {
  const entries = new Map<string, LedgerEntry>();
  return {
    add(key, entry) {
      entries.delete(key);
      entries.set(key, entry);
      const [oldest] = entries.keys();
      if (entries.size > limit && oldest !== undefined) entries.delete(oldest);
    },
    get: (key) => entries.get(key),
  };
};
