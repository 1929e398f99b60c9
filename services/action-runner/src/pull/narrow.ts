import { isRelayError } from '@ranger-relay/errors';
import { z } from 'zod';
import { instant } from './position.ts';

/** Where a list fails, as far as it is known. */
export const narrowing = {
  /** Something before that cannot be read: the list is asked for in ever smaller parts up to there. */
  fails_until: instant.optional(),
  /** So many runs in a row have failed at this place. */
  failures: z.int().min(0).optional(),
};

/** Part of the state of a list that `narrowing` describes. */
export interface Narrowing {
  readonly fails_until?: number | undefined;
  readonly failures?: number | undefined;
}

/** What nothing is known of any more. */
export const notNarrowed = { fails_until: undefined, failures: undefined } as const satisfies Narrowing;

/** A site that fails on more rows than that fails on all of them. */
export const maxHoles = 20;

/** How long rows that the site fails on are left alone, ms. */
const retryMs = 3_600_000;

/** Whether what the site failed on is to be asked for again. @param at when it was last, ms; a clock that was set back makes nothing wait longer */
export const areHolesDue = (at: number | undefined, now: number): boolean =>
  Math.abs(now - (at ?? -Infinity)) >= retryMs;

/** An outage passes between two runs; what fails longer is looked for. */
const patientRuns = 2;
/** No shorter part is asked for: bounds are inclusive, and some sites cut what is finer, ms. */
const leastMs = 3;
/** Some sites want an upper bound; no row bears a later time. */
export const noEndMs = Date.UTC(2100, 0, 1);

/** A page that the site does not give, while it may give others. */
export const isPageFailure = (error: unknown): boolean =>
  isRelayError(error, 'site_unavailable', 'http_body_too_large') ||
  (isRelayError(error, 'site_refused') && Number(error.details['status']) >= 500);

/** Where the next part of a list ends that begins at `since` and goes to `to`; all are ms since 1970. */
export const partEnd = (since: number, to: number, { fails_until: until }: Narrowing): number => {
  if (until === undefined || until <= since) return to;
  const isLeast = until - since <= leastMs;
  return Math.min(to, isLeast ? until : since + Math.ceil((until - since) / 2));
};

/** Where reading begins, and how far it goes, so that what the site fails on is not met again. Bounds are inclusive, lower ones reach back. */
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

/** What is known once a part was read up to its end. */
export const behindPart = (end: number, { fails_until: until = -Infinity }: Narrowing): Narrowing => ({
  fails_until: end < until ? until : undefined,
  failures: undefined,
});

/** What a failure means: another run is to try, a smaller part, or the failing row is found and passed over. */
export type AfterFailure =
  | { readonly kind: 'again'; readonly narrowing: Narrowing }
  | { readonly kind: 'smaller'; readonly narrowing: Narrowing }
  /** Reading goes on behind `to`. */
  | { readonly kind: 'hole'; readonly to: number };

/**
 * Judges a failure of the part from `since` to `until`.
 * @param end of the whole list; a hole is a little longer than the part, because lower bounds reach back
 */
export const narrow = (since: number, until: number, end: number, known: Narrowing): AfterFailure => {
  const failures = (known.failures ?? 0) + 1;
  if (known.fails_until === undefined && failures < patientRuns) return { kind: 'again', narrowing: { failures } };
  const last = Math.min(until, noEndMs);
  if (last - since <= leastMs) return { kind: 'hole', to: Math.min(end, last + leastMs - 1) };
  return { kind: 'smaller', narrowing: { failures, fails_until: last } };
};
