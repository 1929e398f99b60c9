import { storeKey } from '@ranger-relay/kv';
import { z } from 'zod';

/** What is known of one text on its way to one device (device contract, section 7). Times are ISO. */
export interface LedgerEntry {
  readonly state: LedgerState;
  /** Calls of the vendor that were begun. */
  readonly attempts: number;
  /** Those before the last one that had no known end. */
  readonly unknown_calls: number;
  /** Who wrote `sending`; unique for every claim. */
  readonly owner: string | null;
  readonly updated_at: string;
  /** Of the last answer. */
  readonly status: number | null;
  /** The vendor's code, or our own of a text that was never sent. */
  readonly code: number | string | null;
  /** Since when its age counts. */
  readonly first_seen_at: string;
}

export type LedgerState = 'pending' | 'sending' | 'accepted' | 'failed' | 'unknown';

const isoSchema = z.iso.datetime({ offset: true });

/** Only state and time must be there: an entry of an older or newer version is still a decision about a text. */
const entrySchema = z.looseObject({
  state: z.enum(['pending', 'sending', 'accepted', 'failed', 'unknown']),
  updated_at: isoSchema,
  attempts: z.number().int().min(0).catch(0),
  unknown_calls: z.number().int().min(0).catch(0),
  owner: z.string().nullable().catch(null),
  status: z.number().int().nullable().catch(null),
  code: z.union([z.number(), z.string()]).nullable().catch(null),
  first_seen_at: isoSchema.optional().catch(undefined),
});

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Reads an entry; null when there is none, or none that can be read. */
export const readEntry = (text: string | null): LedgerEntry | null => {
  const read = text === null ? undefined : entrySchema.safeParse(parse(text)).data;
  if (!read) return null;
  const { state, attempts, unknown_calls, owner, updated_at, status, code, first_seen_at = updated_at } = read;
  return { state, attempts, unknown_calls, owner, updated_at, status, code, first_seen_at };
};

/** Where the entry of one text for one device stands in the store. */
export interface LedgerKey {
  readonly key: string;
  /** The key of the release before, which did not name the destination; read while entries of it live. */
  readonly before: string;
}

/** An entry under the key of the release before, for a rollback to it; that release passes over whose it is. */
export const writeCopy = (entry: LedgerEntry, { key }: Pick<LedgerKey, 'key'>): string =>
  JSON.stringify({ ...entry, copy_of: key });

/** What stands under the key of the release before, unless this one has written it: that may be another destination's. */
export const withoutCopy = (text: string | null): string | null => {
  const read = text === null ? undefined : parse(text);
  return typeof read === 'object' && read !== null && 'copy_of' in read ? null : text;
};

/** @param destinationId integration that the text is sent for: a delivery id may be one of several vendor accounts */
export const ledgerKey = (destinationId: string, deliveryId: string, recipient: string): LedgerKey => ({
  key: storeKey('push', destinationId, deliveryId, recipient),
  before: `push.${deliveryId}.${recipient}`,
});

/** How long entries stay: the platform redelivers for 7 days, ms. */
export const entryTtlMs = 8 * 86_400_000;
