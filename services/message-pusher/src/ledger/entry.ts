import { jsonOf } from '@ranger-relay/errors';
import { storeKey } from '@ranger-relay/kv';
import { z } from 'zod';

/** State of one text for one device (device contract, section 7). Times are ISO. */
export interface LedgerEntry {
  readonly state: LedgerState;
  /** Number of calls to the vendor that were started. */
  readonly attempts: number;
  /** Number of calls before the last one that had no known outcome. */
  readonly unknown_calls: number;
  /** Claim that wrote `sending`; unique per claim. */
  readonly owner: string | null;
  readonly updated_at: string;
  /** HTTP status of the last answer. */
  readonly status: number | null;
  /** The vendor's code, or the pusher's own for a text that was never sent. */
  readonly code: number | string | null;
  /** The age of the text counts from here. */
  readonly first_seen_at: string;
}

export type LedgerState = 'pending' | 'sending' | 'accepted' | 'failed' | 'unknown';

const isoSchema = z.iso.datetime({ offset: true });

/** Only state and time are required: whatever else is unreadable, the entry is a decision about a text. */
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

/** Reads an entry; null when it is missing or unreadable. */
export const readEntry = (text: string | null): LedgerEntry | null => {
  const read = text === null ? undefined : entrySchema.safeParse(jsonOf(text)).data;
  if (!read) return null;
  const { state, attempts, unknown_calls, owner, updated_at, status, code, first_seen_at = updated_at } = read;
  return { state, attempts, unknown_calls, owner, updated_at, status, code, first_seen_at };
};

/**
 * Store key of the entry of one text for one device.
 * @param destinationId integration that the text is sent for: a delivery id may be one of several vendor accounts
 */
export const ledgerKey = (destinationId: string, deliveryId: string, recipient: string): string =>
  storeKey('push', destinationId, deliveryId, recipient);

/** How long entries stay: the platform redelivers a push for 7 days, ms. */
export const entryTtlMs = 8 * 86_400_000;
