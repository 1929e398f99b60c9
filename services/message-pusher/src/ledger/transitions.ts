import type { LedgerEntry } from './entry.ts';

/** Inputs of the transitions besides the entry. */
export interface LedgerRules {
  /** ms since 1970. */
  readonly now: number;
  /** The time by which the age of a text is judged, ms since 1970; null while it is not known. */
  readonly judgedAt: number | null;
  /** How long a `sending` entry belongs to the claim that wrote it, ms (PUSH_TIMEOUT_S + 5 s). */
  readonly windowMs: number;
  readonly ambiguous: 'resend' | 'hold';
  /** How long a text is retried, ms. */
  readonly maxAgeMs: number;
}

/** What a worker may do with a delivered text. */
export type Decision =
  /** A call is allowed. */
  | 'send'
  /** Another worker holds the text. */
  | 'busy'
  /** The text may have been sent; it is retried later. */
  | 'resting'
  /** The text may have been sent; the operator must decide. */
  | 'held'
  /** Accepted or dead-lettered: the worker skips it. */
  | 'done';

/** Facts of an answer; null when there was none. */
export interface Answered {
  readonly status: number | null;
  readonly code: number | string | null;
}

/** Events that change an entry. */
export type LedgerEvent =
  /** Delivered; `again` when an earlier delivery may have come to a call. */
  | { readonly kind: 'seen'; readonly again: boolean }
  /** About to be sent. */
  | { readonly kind: 'claimed'; readonly owner: string }
  /** Released without a call, or after a call that must be retried whatever the text's age. */
  | { readonly kind: 'returned'; readonly isCalled: boolean; readonly maybeSent?: boolean }
  /** Not sent: the text, its sender, its recipient or the configuration is not usable. */
  | ({ readonly kind: 'invalid' } & Answered)
  | ({ readonly kind: 'accepted' } & Answered)
  | ({ readonly kind: 'refused' } & Answered)
  | ({ readonly kind: 'transient' } & Answered)
  | ({ readonly kind: 'ambiguous' } & Answered)
  /** Left to the operator: its dead letter is stored. */
  | { readonly kind: 'held' };

/** Whether the entry is younger than `ms`. A time far in the future was written by a clock that has been set back since. */
const isWithin = (ms: number, { updated_at }: LedgerEntry, { now }: Pick<LedgerRules, 'now'>): boolean =>
  Math.abs(now - Date.parse(updated_at)) < ms;

const minute = 60_000;

/**
 * How long a text rests after each call without a known outcome, ms: calls in quick succession would all hit the same disturbance. After
 * one more such call, a ranger gets the text again only when the operator says so.
 */
export const restsMs: readonly number[] = [0, minute, 10 * minute, 30 * minute];

/** Remaining rest of a text that may have been sent, ms. */
export const restOf = (entry: LedgerEntry, { now }: Pick<LedgerRules, 'now'>): number => {
  const ms = restsMs[entry.unknown_calls] ?? 0;
  return isWithin(ms, entry, { now }) ? ms - Math.abs(now - Date.parse(entry.updated_at)) : 0;
};

/** Returns what a worker may do with a text, from its entry (device contract, section 7). */
export const decide = (entry: LedgerEntry | null, rules: LedgerRules): Decision => {
  if (entry === null || entry.state === 'pending') return 'send';
  if (entry.state === 'accepted' || entry.state === 'failed') return 'done';
  if (entry.state === 'sending' && isWithin(rules.windowMs, entry, rules)) return 'busy';
  if (rules.ambiguous === 'hold' || entry.unknown_calls >= restsMs.length) return 'held';
  return restOf(entry, rules) > 0 ? 'resting' : 'send';
};

const heldCode = 'held';

/** Whether a text was already left to the operator, with a dead letter. */
export const isHeld = ({ state, code }: LedgerEntry): boolean => state === 'unknown' && code === heldCode;

/** Whether the text is so old that another failure is final. */
export const isExpired = ({ first_seen_at }: LedgerEntry, { judgedAt, maxAgeMs }: LedgerRules): boolean =>
  judgedAt !== null && judgedAt - Date.parse(first_seen_at) > maxAgeMs;

const fresh = (at: string): LedgerEntry => ({
  state: 'pending',
  attempts: 0,
  unknown_calls: 0,
  owner: null,
  updated_at: at,
  status: null,
  code: null,
  first_seen_at: at,
});

/**
 * The entry after a replay of its dead letter: the text starts over, unless the vendor accepted it or it is being
 * sent. @param now ms since 1970
 */
export const replayed = (entry: LedgerEntry, now: number): LedgerEntry =>
  entry.state === 'accepted' || entry.state === 'sending' ? entry : fresh(new Date(now).toISOString());

/**
 * The entry after an event; the same object when the event changes nothing. The vendor's acceptance overwrites every state, because it is
 * final; every other result counts only for the holder of the entry.
 */
export const nextEntry = (entry: LedgerEntry | null, event: LedgerEvent, rules: LedgerRules): LedgerEntry => {
  const at = new Date(rules.now).toISOString();
  const from = entry ?? fresh(at);
  const to = (state: LedgerEntry['state'], more: Partial<LedgerEntry> = {}): LedgerEntry => ({
    ...from,
    ...more,
    state,
    updated_at: at,
  });
  const answered = (state: LedgerEntry['state'], { status, code }: Answered): LedgerEntry =>
    to(state, { status, code });
  const held = from.state === 'sending';

  switch (event.kind) {
    case 'seen':
      // The entry of the earlier delivery is lost, as by an older copy of the store: what became of the text is not known.
      return entry === null && event.again && rules.ambiguous === 'hold' ? to('unknown') : from;
    case 'claimed': {
      const { owner } = event;
      const isAnew = from.owner !== owner;
      const unknown_calls = from.unknown_calls + Number(isAnew && (held || from.state === 'unknown'));
      return decide(entry, rules) === 'send' || !isAnew
        ? to('sending', { owner, unknown_calls, attempts: from.attempts + Number(isAnew) })
        : from;
    }
    case 'returned':
      return held
        ? to(event.maybeSent ? 'unknown' : 'pending', { attempts: from.attempts - Number(!event.isCalled) })
        : from;
    case 'invalid':
      if (held) return { ...answered('failed', event), attempts: from.attempts - 1 };
      return decide(entry, rules) === 'send' ? answered('failed', event) : from;
    case 'accepted':
      return answered('accepted', event);
    case 'refused':
      return held ? answered('failed', event) : from;
    case 'transient':
      return held ? answered(isExpired(from, rules) ? 'failed' : 'pending', event) : from;
    case 'ambiguous':
      return held ? answered(isExpired(from, rules) ? 'failed' : 'unknown', event) : from;
    case 'held':
      return decide(entry, rules) === 'held' && !isHeld(from) ? to('unknown', { code: heldCode }) : from;
  }
};
