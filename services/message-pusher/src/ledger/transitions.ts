import type { LedgerEntry } from './entry.ts';

/** What the transitions depend on beside the entry. */
export interface LedgerRules {
  /** ms since 1970. */
  readonly now: number;
  /** By which a text is too old, ms since 1970; null while that is not known. */
  readonly judgedAt: number | null;
  /** How long a `sending` entry belongs to the one who wrote it, ms (PUSH_TIMEOUT_S + 5 s). */
  readonly windowMs: number;
  readonly ambiguous: 'resend' | 'hold';
  /** How long a text is tried again, ms. */
  readonly maxAgeMs: number;
}

/** What may be done with a text that is delivered. */
export type Standing =
  /** Nothing stands against a call. */
  | 'send'
  /** Another worker is at it. */
  | 'busy'
  /** It may have been sent, and is sent again later. */
  | 'resting'
  /** It may have been sent, and is for a person to decide. */
  | 'held'
  /** Accepted or given up: skip it. */
  | 'done';

/** What an answer, or its absence, says. */
export interface Answered {
  readonly status: number | null;
  readonly code: number | string | null;
}

/** What happens to an entry. */
export type LedgerEvent =
  /** Delivered. */
  | { readonly kind: 'seen' }
  /** About to be sent. */
  | { readonly kind: 'claimed'; readonly owner: string }
  /** Given back without a call, or with one that is to be repeated whatever its age. */
  | { readonly kind: 'returned'; readonly isCalled: boolean; readonly maybeSent?: boolean }
  /** Not sent: the text, its sender, its recipient or the configuration cannot be used. */
  | ({ readonly kind: 'invalid' } & Answered)
  | ({ readonly kind: 'accepted' } & Answered)
  | ({ readonly kind: 'refused' } & Answered)
  | ({ readonly kind: 'transient' } & Answered)
  | ({ readonly kind: 'ambiguous' } & Answered)
  /** Left for a person: its dead letter is stored. */
  | { readonly kind: 'held' }
  /** Its dead letter is replayed. */
  | { readonly kind: 'replayed' };

/** A time too far ahead was written by a clock that has been set back since. */
const isWithin = (ms: number, { updated_at }: LedgerEntry, { now }: Pick<LedgerRules, 'now'>): boolean =>
  Math.abs(now - Date.parse(updated_at)) < ms;

const minute = 60_000;

/**
 * How long a text rests after each call without a known end, ms: calls that follow each other at once would all fall into the same disturbance.
 * After one more such call a ranger gets the text again only when a person says so.
 */
export const restsMs: readonly number[] = [0, minute, 10 * minute, 30 * minute];

/** How long a text that may have been sent still rests, ms. */
export const restOf = (entry: LedgerEntry, { now }: Pick<LedgerRules, 'now'>): number => {
  const ms = restsMs[entry.unknown_calls] ?? 0;
  return isWithin(ms, entry, { now }) ? ms - Math.abs(now - Date.parse(entry.updated_at)) : 0;
};

/** What may be done with a text, from its entry (device contract, section 7). */
export const standingOf = (entry: LedgerEntry | null, rules: LedgerRules): Standing => {
  if (entry === null || entry.state === 'pending') return 'send';
  if (entry.state === 'accepted' || entry.state === 'failed') return 'done';
  if (entry.state === 'sending' && isWithin(rules.windowMs, entry, rules)) return 'busy';
  if (rules.ambiguous === 'hold' || entry.unknown_calls >= restsMs.length) return 'held';
  return restOf(entry, rules) > 0 ? 'resting' : 'send';
};

const heldCode = 'held';

/** Whether a text was left for a person before, with a dead letter. */
export const isHeld = ({ state, code }: LedgerEntry): boolean => state === 'unknown' && code === heldCode;

/** Whether a text has been tried for so long that another failure is the last one. */
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

/** The entry once its dead letter is replayed: the text begins anew, unless the vendor has it or it is on its way. @param now ms since 1970 */
export const replayed = (entry: LedgerEntry, now: number): LedgerEntry =>
  entry.state === 'accepted' || entry.state === 'sending' ? entry : fresh(new Date(now).toISOString());

/**
 * The entry after an event; the very same one when the event changes nothing. The vendor's acceptance is written over everything, because
 * nothing says more; every other outcome counts only for the one who holds the entry.
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
      return from;
    case 'claimed': {
      const { owner } = event;
      const isAnew = from.owner !== owner;
      const unknown_calls = from.unknown_calls + Number(isAnew && (held || from.state === 'unknown'));
      return standingOf(entry, rules) === 'send' || !isAnew
        ? to('sending', { owner, unknown_calls, attempts: from.attempts + Number(isAnew) })
        : from;
    }
    case 'returned':
      return held
        ? to(event.maybeSent ? 'unknown' : 'pending', { attempts: from.attempts - Number(!event.isCalled) })
        : from;
    case 'invalid':
      if (held) return { ...answered('failed', event), attempts: from.attempts - 1 };
      return standingOf(entry, rules) === 'send' ? answered('failed', event) : from;
    case 'accepted':
      return answered('accepted', event);
    case 'refused':
      return held ? answered('failed', event) : from;
    case 'transient':
      return held ? answered(isExpired(from, rules) ? 'failed' : 'pending', event) : from;
    case 'ambiguous':
      return held ? answered(isExpired(from, rules) ? 'failed' : 'unknown', event) : from;
    case 'held':
      return standingOf(entry, rules) === 'held' && !isHeld(from) ? to('unknown', { code: heldCode }) : from;
    case 'replayed':
      return replayed(from, rules.now);
  }
};
