import { isRelayError } from '@ranger-relay/errors';
import { z } from 'zod';
import { instant } from './position.ts';

/** The known location of a failure in a list. */
export const narrowing = {
  /** A row before this time cannot be read: the list is requested in ever smaller parts up to there. */
  fails_until: instant.optional(),
  /** Number of consecutive runs that failed at this place. */
  failures: z.int().min(0).optional(),
};

/** The part of a list's state that `narrowing` describes. */
export interface Narrowing {
  readonly fails_until?: number | undefined;
  readonly failures?: number | undefined;
}

/** The state without any known failure. */
export const notNarrowed = { fails_until: undefined, failures: undefined } as const satisfies Narrowing;

/** A site with more holes than this fails in general. */
export const maxHoles = 20;

/** Interval between retries of rows that the site fails on, ms. */
const retryMs = 3_600_000;

/** Whether holes are due for a retry. @param at time of the last retry, ms; a clock that was set back does not prolong the wait */
export const areHolesDue = (at: number | undefined, now: number): boolean =>
  Math.abs(now - (at ?? -Infinity)) >= retryMs;

/** An outage usually ends within two runs; a longer failure is narrowed down. */
const patientRuns = 2;
/** Shortest part that is requested, ms: bounds are inclusive, and some sites truncate finer times. */
const leastMs = 3;
/** Some sites require an upper bound; no row has a later time. */
export const noEndMs = Date.UTC(2100, 0, 1);

/** Whether the site failed on a page while it may return others. An unreadable answer may be that of a gateway. */
export const isPageFailure = (error: unknown): boolean =>
  isRelayError(error, 'site_unavailable', 'site_answer_unreadable', 'http_body_too_large') ||
  (isRelayError(error, 'site_refused') && Number(error.details['status']) >= 500);

/** End of the next part of a list that begins at `since` and goes to `to`; all are ms since 1970. */
export const partEnd = (since: number, to: number, { fails_until: until }: Narrowing): number => {
  if (until === undefined || until <= since) return to;
  const isLeast = until - since <= leastMs;
  return Math.min(to, isLeast ? until : since + Math.ceil((until - since) / 2));
};

/** Start and end of the next request, so that it avoids the holes. Bounds are inclusive, and lower ones reach back. */
export const aroundHoles = (
  since: number,
  to: number,
  holes: readonly { readonly from: number; readonly to: number }[],
): { readonly since: number; readonly to: number } => {
  let begin = since;
  for (const hole of holes.toSorted((a, b) => a.from - b.from))
    if (begin >= hole.from - 1 && begin < hole.to) begin = hole.to;
  const next = Math.min(...holes.filter(({ from }) => from - 1 > begin).map(({ from }) => from - 1));
  return { since: begin, to: Math.min(to, next) };
};

/** The narrowing once a part was read up to its end. */
export const behindPart = (end: number, { fails_until: until = -Infinity }: Narrowing): Narrowing => ({
  fails_until: end < until ? until : undefined,
  failures: undefined,
});

/** What to do after a failure: leave it to another run, request a smaller part, or skip the failing row. */
export type AfterFailure =
  | { readonly kind: 'again'; readonly narrowing: Narrowing }
  | { readonly kind: 'smaller'; readonly narrowing: Narrowing }
  /** Reading continues behind `to`. */
  | { readonly kind: 'hole'; readonly to: number };

/**
 * Judges a failure of the part from `since` to `until`.
 * @param end end of the whole list; a hole is slightly longer than the part, because lower bounds reach back
 */
export const narrow = (since: number, until: number, end: number, known: Narrowing): AfterFailure => {
  const failures = (known.failures ?? 0) + 1;
  if (known.fails_until === undefined && failures < patientRuns) return { kind: 'again', narrowing: { failures } };
  const last = Math.min(until, noEndMs);
  if (last - since <= leastMs) return { kind: 'hole', to: Math.min(end, last + leastMs - 1) };
  return { kind: 'smaller', narrowing: { failures, fails_until: last } };
};
