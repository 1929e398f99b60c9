import { isRelayError } from '@ranger-relay/errors';
import { z } from 'zod';
import type { CommonState } from './kept-state.ts';
import { instant, noEndMs } from './position.ts';

/** Members of a range: rows of the site's list that are still to be read, in the order of the list's time. */
export const rangeMembers = {
  /** Rows before then were read. */
  from: instant,
  /** Exclusive; null for no end. */
  to: instant.nullable(),
  /** Of the listing since the watermark, which moves when none of its ranges is left. */
  listing: z.literal(true).optional(),
  /** Reads what was delivered before, because the settings force it; while one is left, that reading goes on and no other begins. */
  forced: z.literal(true).optional(),
  /** Number of runs that failed on it. */
  failures: z.int().min(1).optional(),
  /** The site fails on this range alone: by the local clock, the time to read it again. */
  retry_at: instant.optional(),
};

const rangeSchema = z.object(rangeMembers);
export type Range = Readonly<z.output<typeof rangeSchema>>;

/** What a listing needs of the state of a pull. */
export interface ListingState<R extends Range> extends Pick<CommonState, 'last_execution' | 'listing'> {
  readonly ranges: readonly R[];
}

/** A site with more ranges than this to retry fails in general. */
export const maxWaiting = 20;
/** Interval between retries of a range that the site fails on, ms. */
const retryMs = 3_600_000;
/** An outage usually ends within two runs; what fails longer is split. */
const patientRuns = 2;
/** Longest range that is not split any more, ms. */
const leastMs = 2;
/** Bounds of a request are inclusive, and its lower one reaches back by 1 ms: a range around a failing row keeps the others off it. */
const marginMs = { before: 1, behind: 2 };

/** Whether the site failed on a page while it may return others. An unreadable answer may be that of a gateway. */
export const isPageFailure = (error: unknown): boolean =>
  isRelayError(error, 'site_unavailable', 'site_answer_unreadable', 'http_body_too_large') ||
  (isRelayError(error, 'site_refused') && Number(error.details['status']) >= 500);

/** End of a range; Infinity for none. */
export const endOf = ({ to }: Pick<Range, 'to'>): number => to ?? Infinity;

/** An end as it is stored; Infinity for none. */
export const storedEnd = (ms: number): number | null => (Number.isFinite(ms) ? ms : null);

/** Whether the site fails on this range alone, so that it is read hourly. */
export const isWaiting = ({ retry_at: at }: Pick<Range, 'retry_at'>): boolean => at !== undefined;

/** The range to read next. @param now local time; a clock that was set back does not prolong a wait */
export const nextRange = <R extends Range>(ranges: readonly R[], now: number): R | undefined =>
  ranges.find(({ retry_at: at }) => at === undefined || now >= at || at - now > retryMs);

/** The ranges with others in the place of one. */
export const replaced = <R extends Range>(ranges: readonly R[], range: R, by: readonly R[]): readonly R[] =>
  ranges.flatMap((each) => (each === range ? by : [each]));

/** What is left of a range outside of others. */
export const without = <R extends Range>(range: R, others: readonly Pick<Range, 'from' | 'to'>[]): readonly R[] => {
  let left: readonly R[] = [range];
  for (const other of others)
    left = left.flatMap((piece) => {
      const [from, to] = [Math.max(piece.from, other.from), Math.min(endOf(piece), endOf(other))];
      if (from >= to) return [piece];
      const before = piece.from < from ? [{ ...piece, to: from }] : [];
      return to < endOf(piece) ? [...before, { ...piece, from: to }] : before;
    });
  return left;
};

/** The part of a range within a window; none when they do not meet. */
export const within = <R extends Range>(range: R, from: number, end: number): readonly R[] => {
  const part = { ...range, from: Math.max(range.from, from), to: storedEnd(Math.min(endOf(range), end)) };
  return part.from < endOf(part) ? [part] : [];
};

/** A range in two, at a time inside it. */
export const split = <R extends Range>(range: R, at: number): readonly R[] => [
  { ...range, to: at },
  { ...range, from: at },
];

/** The ranges once one was read up to a time. It is the turn of the listing after older rows, and of older rows after the listing. */
export const readUpTo = <R extends Range>(ranges: readonly R[], range: R, through: number): readonly R[] => {
  const failures = (range.failures ?? 0) < patientRuns ? undefined : range.failures;
  const left = replaced(ranges, range, through < endOf(range) ? [{ ...range, from: through, failures }] : []);
  const isOfKind = ({ listing }: R): boolean => listing === range.listing;
  return [...left.filter((each) => !isOfKind(each)), ...left.filter(isOfKind)];
};

/** What to do after the site failed on a range. */
export type AfterFailure<R extends Range> =
  /** The run ends; the next one asks again. */
  | { readonly kind: 'again'; readonly ranges: readonly R[] }
  /** Smaller ranges are read from now on. */
  | { readonly kind: 'split'; readonly ranges: readonly R[] }
  /** The range holds the failing row, and is read again in an hour. */
  | { readonly kind: 'waits'; readonly ranges: readonly R[]; readonly waiting: R; readonly isNew: boolean };

/**
 * Judges a failure of the site on a range.
 * @param now local time
 * @param hides whether a request for `range` would meet the failing row of `waiting` too
 */
export const afterFailure = <R extends Range>(
  ranges: readonly R[],
  range: R,
  now: number,
  hides: (waiting: R, range: R) => boolean,
): AfterFailure<R> => {
  const retry_at = now + retryMs;
  if (isWaiting(range)) {
    const waiting = { ...range, retry_at };
    return { kind: 'waits', ranges: replaced(ranges, range, [waiting]), waiting, isNew: false };
  }
  const failures = (range.failures ?? 0) + 1;
  const failing = { ...range, failures };
  if (failures < patientRuns) return { kind: 'again', ranges: replaced(ranges, range, [failing]) };
  const end = Math.min(endOf(range), Math.max(noEndMs, range.from + 1));
  if (end - range.from > leastMs)
    return {
      kind: 'split',
      ranges: replaced(ranges, range, split(failing, range.from + Math.ceil((end - range.from) / 2))),
    };
  const [from, to] = [range.from - marginMs.before, end + marginMs.behind];
  const waiting: R = { ...range, from, to, retry_at, listing: undefined, forced: undefined, failures: undefined };
  const others = replaced(ranges, range, []).flatMap((each) =>
    isWaiting(each) || !hides(waiting, each) ? [each] : without(each, [waiting]),
  );
  return { kind: 'waits', ranges: [...others, waiting], waiting, isNew: true };
};

/** Ends a listing: the watermark moves to the latest time certainly seen, never past the site's clock. */
const endListing = <R extends Range, State extends ListingState<R>>(state: State): State => {
  const { began = Infinity, newest, by_recording: byRecording } = state.listing ?? {};
  const seen = Math.min(newest ?? (byRecording ? began : -Infinity), began);
  const watermark = Math.max(state.last_execution ?? -Infinity, seen);
  return { ...state, listing: undefined, ...(Number.isFinite(watermark) ? { last_execution: watermark } : {}) };
};

/** The state of a pull with other ranges; a listing of which none is left has ended. */
export const withRanges = <R extends Range, State extends ListingState<R>>(
  kept: State,
  ranges: readonly R[],
): State => {
  const state = { ...kept, ranges: [...ranges] };
  return state.listing && !ranges.some(({ listing }) => listing) ? endListing(state) : state;
};

/** The state once rows of a range have shown a latest time, ms since 1970; -Infinity for none. */
export const withNewest = <R extends Range, State extends ListingState<R>>(
  state: State,
  range: R,
  at: number,
): State => {
  const newest = Math.max(state.listing?.newest ?? -Infinity, at);
  return range.listing && Number.isFinite(newest) ? { ...state, listing: { ...state.listing, newest } } : state;
};
