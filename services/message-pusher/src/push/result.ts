import { RelayError } from '@ranger-relay/errors';
import type { Context } from '@ranger-relay/runtime';
import { type Failure, failureSentence } from '../failures/failure.ts';
import type { LedgerEntry } from '../ledger/entry.ts';

/** Result of a run for one device. `fresh` – decided in this run, not before. */
export type Outcome = { readonly recipient: string } & (
  | { readonly kind: 'accepted'; readonly fresh: boolean }
  | { readonly kind: 'held'; readonly fresh: boolean }
  | ({ readonly kind: 'failed'; readonly fresh: boolean; readonly code: number | string | null } & Failure)
  | ({ readonly kind: 'transient' } & Failure)
);

/** A failure without an answer from the vendor. */
export const unanswered = (error: RelayError): Failure => ({ error, status: null, body: '', url: undefined });

/** Left for the next delivery. */
export const later = (recipient: string, failure: Failure): Outcome => ({ ...failure, recipient, kind: 'transient' });

const wordsOf = ({ status, code }: LedgerEntry): string => {
  const words = [...(status === null ? [] : [`HTTP ${status}`]), ...(code === null ? [] : [`code ${code}`])];
  return words.join(', ') || 'no answer';
};

/** The result that an earlier run decided. */
export const decidedBefore = (recipient: string, entry: LedgerEntry): Outcome => {
  if (entry.state === 'accepted') return { recipient, kind: 'accepted', fresh: false };
  const error = new RelayError('push_given_up', { details: { reason: wordsOf(entry) } });
  return { ...unanswered(error), recipient, kind: 'failed', fresh: false, code: entry.code, status: entry.status };
};

/** Values of the label `outcome` of `relay_texts_total`. */
export const textOutcomes = ['accepted', 'failed', 'held', 'deferred', 'ambiguous'] as const;

/** Metric label of a run's result for one device; undefined when an earlier run decided it. */
const outcomeOf = (end: Outcome): (typeof textOutcomes)[number] | undefined => {
  if (end.kind === 'transient') return end.error.ambiguous ? 'ambiguous' : 'deferred';
  return end.fresh ? end.kind : undefined;
};

/** Counts the result of a run for each device. */
export const countOutcomes = (metrics: Pick<Context['metrics'], 'count'>, ends: readonly Outcome[]): void => {
  for (const end of ends) {
    const outcome = outcomeOf(end);
    if (outcome) metrics.count('relay_texts_total', { outcome });
  }
};

/** Result for each device, as the run's answer reports it (device contract, section 7). */
export interface PushBody {
  readonly status: 'success' | 'failed';
  readonly accepted: readonly string[];
  readonly failed: readonly FailedRecipient[];
  /** Possibly sent, and held for the operator. */
  readonly unknown: readonly string[];
}

/** A device that the text was not sent to; null when the push names none. */
export interface FailedRecipient {
  readonly recipient: string | null;
  readonly code: number | string | null;
  readonly error: string;
}

/** Overall result of a run. */
type Concluded =
  /** The push must be redelivered. */
  | { readonly kind: 'again'; readonly failure: Failure; readonly recipients: readonly string[] }
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      readonly recipients: readonly string[];
      readonly body: PushBody;
    }
  | { readonly kind: 'success'; readonly body: PushBody };

const of = <K extends Outcome['kind']>(ends: readonly Outcome[], kind: K): Extract<Outcome, { kind: K }>[] =>
  ends.filter((end): end is Extract<Outcome, { kind: K }> => end.kind === kind);

const names = (ends: readonly Outcome[]): string[] => ends.map(({ recipient }) => recipient);

/** Derives the overall result from the results of the devices: transient failures take precedence over permanent ones. */
export const conclude = (ends: readonly Outcome[]): Concluded => {
  const again = of(ends, 'transient');
  if (again[0]) return { kind: 'again', failure: again[0], recipients: names(again) };
  const failures = of(ends, 'failed');
  const failure = failures.find(({ fresh }) => fresh) ?? failures[0];
  const body: PushBody = {
    status: failure ? 'failed' : 'success',
    accepted: names(of(ends, 'accepted')),
    failed: failures.map((end) => ({ recipient: end.recipient, code: end.code, error: failureSentence(end) })),
    unknown: names(of(ends, 'held')),
  };
  return failure ? { kind: 'failed', failure, recipients: names(failures), body } : { kind: 'success', body };
};
