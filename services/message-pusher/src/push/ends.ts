import { RelayError } from '@ranger-relay/errors';
import type { Failure } from '../failures/failure.ts';
import type { LedgerEntry } from '../ledger/entry.ts';

/** What a run came to for one device. `fresh` – decided in this run, not before. */
export type End = { readonly recipient: string } & (
  | { readonly kind: 'accepted'; readonly fresh: boolean }
  | { readonly kind: 'held'; readonly fresh: boolean }
  | ({ readonly kind: 'failed'; readonly fresh: boolean; readonly code: number | string | null } & Failure)
  | ({ readonly kind: 'transient' } & Failure)
);

/** A failure without an answer of the vendor. */
export const unanswered = (error: RelayError): Failure => ({ error, status: null, body: '', url: undefined });

/** Left for the next delivery. */
export const later = (recipient: string, failure: Failure): End => ({ ...failure, recipient, kind: 'transient' });

const wordsOf = ({ status, code }: LedgerEntry): string => {
  const words = [...(status === null ? [] : [`HTTP ${status}`]), ...(code === null ? [] : [`code ${code}`])];
  return words.join(', ') || 'no answer';
};

/** What an earlier run decided. */
export const decidedBefore = (recipient: string, entry: LedgerEntry): End => {
  if (entry.state === 'accepted') return { recipient, kind: 'accepted', fresh: false };
  const error = new RelayError('push_given_up', { details: { reason: wordsOf(entry) } });
  return { ...unanswered(error), recipient, kind: 'failed', fresh: false, code: entry.code, status: entry.status };
};
