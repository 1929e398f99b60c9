import type { SiteQuery } from '@ranger-relay/site';
import type { ClockNotice } from '../pull/notices.ts';
import { lowerBound, pageParameters, type Part, upperBound } from '../pull/position.ts';
import { endOf, isWaiting, nextRange, readUpTo, replaced, storedEnd, withNewest, withRanges } from '../pull/ranges.ts';
import { type Judged, noteClock } from '../pull/site-clock.ts';
import { compareListed, divided, wantedPart } from './gaps.ts';
import type { PullRange, PullState } from './state.ts';

/** Settings of a run; times are ms since 1970, spans ms. */
export interface PlanSettings {
  readonly start: number;
  /** Exclusive end: rows recorded then or later are ignored; Infinity for no end. */
  readonly end: number;
  readonly partMs: number;
  readonly forced: boolean;
  /** Sorted ids, or null alone for all sources. */
  readonly sources: readonly (string | null)[];
  /** Hash of the settings that a listing depends on. */
  readonly hash: string;
  readonly overlapMs: number;
  readonly lateMs: number;
}

/** The next request. */
export interface Ask {
  /** What it reads; of one source. */
  readonly range: PullRange;
  readonly source: string | null;
  /** Recorded from then on, ms since 1970. */
  readonly from: number;
  /** Recorded before; Infinity for no end. */
  readonly to: number;
  /** Saved from then on; rows with an earlier time of saving were taken before. */
  readonly savedFrom: number;
  /** True when the request asks for rows saved since then. */
  readonly byArrival: boolean;
}

/** Facts of a part of a list that the plan uses. */
export interface PartFacts extends Pick<Part, 'siteTime' | 'now'> {
  readonly rows: readonly { readonly recordedAt: number | undefined; readonly savedAt: number | undefined }[];
  /** All rows before then were read, ms since 1970. */
  readonly through: number;
}

/** Notices to report to the activity log. */
export type Notice = ClockNotice | { readonly kind: 'arrival_ignored' };

type Step = Judged<PullState, Notice>;

/** When a site returns rows saved more than this before the requested bound, it ignored the bound, ms. */
const arrivalSlackMs = 1_000;

/** The state with a listing that begins anew, in the place of the one that it has. */
const withListing = (kept: PullState, { start, end, overlapMs }: PlanSettings): PullState => {
  const { last_execution: watermark } = kept;
  const range: PullRange = {
    from: start,
    to: storedEnd(end),
    listing: true,
    ...(watermark === undefined ? {} : { saved_from: watermark - overlapMs }),
  };
  return { ...kept, listing: {}, ranges: [...kept.ranges.filter(({ listing }) => !listing), range] };
};

/** The state of a new run. */
export const beginRun = (kept: PullState, settings: PlanSettings): PullState => {
  const { last_execution: watermark, ranges, settings_hash: hash } = kept;
  const isNew = hash === undefined && watermark === undefined && ranges.length === 0;
  const begins = isNew || (settings.forced && !ranges.some(({ forced }) => forced));
  const { listed, gaps } = compareListed(kept, settings);
  const whole: PullRange = {
    from: settings.start,
    to: storedEnd(settings.end),
    ...(settings.forced ? { forced: true } : {}),
  };
  const isGoing = hash === undefined || hash === settings.hash;
  const going = ranges.filter(({ listing }) => (listing ? isGoing : !begins));
  const state = {
    ...kept,
    settings_hash: settings.hash,
    attempt: begins && !isNew ? (kept.attempt ?? 1) + 1 : kept.attempt,
    listed,
    ranges: [...going, ...(begins ? [whole] : gaps)].flatMap((range) => wantedPart(range, settings)),
    runs_without_page: kept.runs_without_page + 1,
  };
  if (state.ranges.some(({ listing }) => listing)) return state;
  // Rows that arrive during the first reading are listed from its beginning on, once the site has told its time.
  const isListed = watermark !== undefined || state.ranges.length === 0;
  return isListed ? withListing(state, settings) : { ...state, listing: undefined };
};

/** Parameters of a request for a part of what is due, by default for all of it. */
export const queryOf = (ask: Ask, at = ask.from, to = ask.to): SiteQuery => ({
  since: lowerBound(at),
  until: upperBound(to),
  ...(ask.byArrival && Number.isFinite(ask.savedFrom) ? { created_after: lowerBound(ask.savedFrom) } : {}),
  ...(ask.source === null ? {} : { source_id: ask.source }),
  filter: 'null',
  include_details: 'true',
  ...pageParameters(at, to),
});

/** Whether a request meets the row that a waiting range of the same source, or of all sources, is about, and reading that one brings all that the request would. */
export const hides = (waiting: PullRange, { source, saved_from: savedFrom = -Infinity }: PullRange): boolean =>
  (waiting.source === null || waiting.source === source) && (waiting.saved_from ?? -Infinity) <= savedFrom;

/** The next request, and the state in which it is due; undefined when the run has nothing left to do. @param now local time */
export const nextAsk = (
  kept: PullState,
  settings: PlanSettings,
  now: number,
): { readonly state: PullState; readonly ask: Ask } | { readonly state: PullState; readonly ask: undefined } => {
  let state = kept;
  for (;;) {
    const range = nextRange(state.ranges, now);
    if (!range) return { state, ask: undefined };
    const { source, from, saved_from: savedFrom = -Infinity, listing } = range;
    if (source !== undefined) {
      const byArrival = listing === true && !state.listing?.by_recording && Number.isFinite(savedFrom);
      return { state, ask: { range, source, from, to: endOf(range), savedFrom, byArrival } };
    }
    const waiting = (first: PullRange) => state.ranges.filter((each) => isWaiting(each) && hides(each, first));
    state = withRanges(state, replaced(state.ranges, range, divided(range, settings, { now, waiting })));
  }
};

const isIgnored = ({ byArrival, savedFrom }: Ask, { rows }: PartFacts): boolean =>
  byArrival &&
  rows.some(({ recordedAt, savedAt = -Infinity }) => recordedAt !== undefined && savedAt < savedFrom - arrivalSlackMs);

/** Reads the site's clock from the first answer. Rows that arrive during the first reading are listed from its beginning on. */
const checkClock = (state: PullState, settings: PlanSettings, { range }: Ask, { siteTime, now }: PartFacts): Step => {
  const { last_execution: kept, listing } = state;
  const isFirst = range.listing ? listing?.began === undefined : kept === undefined;
  if (siteTime === undefined || !isFirst) return { state, take: true, notices: [] };
  if (!range.listing)
    return { state: { ...state, clock_offset_ms: siteTime - now, last_execution: siteTime }, take: true, notices: [] };
  const restart = (from: PullState): PullState => withListing(from, settings);
  return noteClock(state, { siteTime, now, maxJumpMs: settings.lateMs, restart });
};

const newestOf = ({ rows }: PartFacts): number =>
  rows.reduce((newest, { savedAt = -Infinity }) => Math.max(newest, savedAt), -Infinity);

/** Updates the state with a part of what is due. The new state is valid once the part's rows are on the bus. */
export const afterPart = (kept: PullState, settings: PlanSettings, ask: Ask, part: PartFacts): Step => {
  const checked = checkClock(kept, settings, ask, part);
  if (!checked.take) return checked;
  const { state, notices } = checked;
  if (isIgnored(ask, part))
    return { state: ignoreArrival(state, settings), take: false, notices: [...notices, { kind: 'arrival_ignored' }] };
  const seen = withNewest({ ...state, runs_without_page: 0 }, ask.range, newestOf(part));
  return { state: withRanges(seen, readUpTo(seen.ranges, ask.range, part.through)), take: true, notices };
};

/** The site ignores or refuses the bound on arrival: the listing begins anew by windows of recording time. */
export const ignoreArrival = (kept: PullState, settings: PlanSettings): PullState => {
  const listing = kept.ranges.find((range) => range.listing);
  const { start, end, lateMs } = settings;
  const range: PullRange = {
    from: Math.max(start, (listing?.saved_from ?? start) - lateMs),
    to: storedEnd(end),
    listing: true,
    saved_from: listing?.saved_from,
  };
  const others = kept.ranges.filter((each) => !each.listing);
  return { ...kept, listing: { ...kept.listing, by_recording: true }, ranges: [...others, range] };
};

/** The site permanently refuses this range: it is left out. */
export const skipRange = (state: PullState, { range }: Ask): PullState =>
  withRanges(state, replaced(state.ranges, range, []));
