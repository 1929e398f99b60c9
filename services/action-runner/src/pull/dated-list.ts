import { isDeepStrictEqual } from 'node:util';
import { isRelayError } from '@ranger-relay/errors';
import type { SiteQuery, SiteReader } from '@ranger-relay/site';
import { z } from 'zod';
import {
  compareWanted,
  type DatedRange,
  datedRangeSchema,
  listedSchema,
  type Names,
  namesOf,
  type Wanted,
  wantedPart,
} from './dated-gaps.ts';
import { commonState } from './kept-state.ts';
import type { ListReport } from './notices.ts';
import { noEndMs, type Part, readPart, secondMs } from './position.ts';
import { endOf, isWaiting, nextRange, readUpTo, replaced, split, withNewest, without, withRanges } from './ranges.ts';
import { type RangedList, type Reading, type ReadingContext, readRanges } from './read-ranges.ts';
import { type Judged, noteClock } from './site-clock.ts';

/** State of a pull of a list with one date (platform contract, `pull_events`). */
export const datedStateSchema = z.looseObject({
  ...commonState,
  /** The date that the watermark and the ranges count by; with another one they are invalid. */
  by: z.string().optional(),
  /** What is left to read, in the order of reading: what is new since the watermark, and what no listing has covered. */
  ranges: z.array(datedRangeSchema).default([]),
  /** The part that the listings cover; when it grows, the added rows become due. */
  listed: listedSchema.optional(),
});

export type DatedState = Readonly<z.output<typeof datedStateSchema>>;

/** Settings of a run; times are ms since 1970, spans ms. */
export interface DatedSettings extends Wanted {
  /** Exclusive; Infinity for no end. */
  readonly end: number;
  readonly forced: boolean;
  /** Name of the date. */
  readonly by: string;
  /** Hash of the settings that an unfinished listing depends on. */
  readonly hash: string;
  readonly lateMs: number;
}

/** The next request: the rows of a range up to a date, which is Infinity for no end. */
interface Ask {
  readonly range: DatedRange;
  readonly upper: number;
}

/** What the plan uses of a part of the list. */
interface PartFacts extends Pick<Part, 'through' | 'siteTime' | 'now'> {
  /** Date of each row, ms since 1970; undefined when it is unreadable. */
  readonly keys: readonly (number | undefined)[];
}

/** Whether a request for a range meets the row of a waiting one, which is then read with it: of the same names, or of all of the run. */
const hides = (waiting: DatedRange, { names }: DatedRange): boolean =>
  waiting.names === undefined || isDeepStrictEqual(waiting.names, names);

/** The state with a listing that begins anew, in the place of the one that it has. */
const withListing = (state: DatedState, { start, backMs }: DatedSettings, isForced: boolean): DatedState => {
  const { last_execution: watermark } = state;
  const from = isForced || watermark === undefined ? start : Math.max(start, watermark - backMs);
  const range: DatedRange = { from, to: null, listing: true, ...(isForced ? { forced: true } : {}) };
  const others = state.ranges.filter(({ listing }) => !listing);
  const waiting = others.filter((each) => isWaiting(each) && hides(each, range));
  return { ...state, listing: {}, ranges: [...others, ...without(range, waiting)] };
};

/** The state of a new run: an unfinished listing continues, unless the settings have changed since. */
export const beginDated = (kept: DatedState, settings: DatedSettings): DatedState => {
  const { forced, by, hash, end } = settings;
  const isSameDate = (kept.by ?? by) === by;
  const watermark = isSameDate ? kept.last_execution : undefined;
  const ranges = isSameDate ? kept.ranges : [];
  const listing = ranges.filter((range) => range.listing);
  const older = ranges.filter((range) => !range.listing);
  const wasForced = listing.some((range) => range.forced);
  const isForced = forced || wasForced;
  const isGoing = listing.length > 0 && kept.settings_hash === hash && (!forced || wasForced);
  const isWhole = !isGoing && (isForced || watermark === undefined);
  const { listed, gaps } = compareWanted(kept.listed, settings, older.every(isWaiting) ? watermark : undefined);
  const due = (some: readonly DatedRange[]) => (isWhole ? [] : some.flatMap((range) => wantedPart(range, settings)));
  const state = {
    ...kept,
    last_execution: watermark,
    by,
    settings_hash: hash,
    listed,
    ranges: due(isGoing ? ranges : older),
  };
  const begun = isGoing ? state : withListing(state, settings, isForced);
  const left = [...begun.ranges, ...due(gaps)].filter(({ from }) => from < end);
  return withRanges(begun, left);
};

/** The next request; undefined when nothing is left to do. @param now local time */
const nextAsk = ({ ranges }: DatedState, { end }: DatedSettings, now: number): Ask | undefined => {
  const range = nextRange(ranges, now);
  return range && { range, upper: Math.min(endOf(range), end) };
};

/** The first answer of a listing shows the site's clock: checks the watermark, and restarts the listing when the watermark is invalid. */
const checkClock = (
  state: DatedState,
  settings: DatedSettings,
  { range }: Ask,
  { siteTime, now }: PartFacts,
): Judged<DatedState> => {
  if (siteTime === undefined || !range.listing || state.listing?.began !== undefined)
    return { state, take: true, notices: [] };
  const restart = (from: DatedState): DatedState => withListing(from, settings, false);
  return noteClock(state, { siteTime, now, maxJumpMs: settings.lateMs, isFromWatermark: !range.forced, restart });
};

/** Switches to requests without sorting. Rows of one page may be followed by rows of any date, so only a list of one page is complete. */
const withoutSorting = (state: DatedState, { range }: Ask): DatedState =>
  withRanges(state, replaced(state.ranges, range, [{ ...range, unsorted: true }]));

/** The middle of what a request found; a second is requested whole. */
const middle = ({ range: { from: lower }, upper }: Ask, { keys, siteTime = -Infinity }: PartFacts): number => {
  const newest = Math.max(siteTime, ...keys.map((key) => key ?? -Infinity));
  const end = Math.min(upper, Number.isFinite(newest) ? newest : lower);
  return lower + Math.max(secondMs, Math.floor((end - lower) / 2));
};

/** Whether a part can be used, and what to request instead when it cannot. */
const judgePart = (kept: DatedState, settings: DatedSettings, ask: Ask, part: PartFacts): Judged<DatedState> => {
  const checked = checkClock(kept, settings, ask, part);
  if (!checked.take || part.through !== undefined) return checked;
  const { state } = checked;
  const next = !ask.range.unsorted
    ? withoutSorting(state, ask)
    : withRanges(state, replaced(state.ranges, ask.range, split(ask.range, middle(ask, part))));
  return { ...checked, state: next, take: false };
};

/** Updates the state after the rows of a part are on the bus. */
const afterPart = (state: DatedState, ask: Ask, { keys, through = ask.upper }: PartFacts): DatedState => {
  const { range } = ask;
  const seen = withNewest(state, range, Math.max(-Infinity, ...keys.map((key) => key ?? -Infinity)));
  // What lies behind the configured end is not wanted.
  return withRanges(seen, readUpTo(seen.ranges, range, through < ask.upper ? through : endOf(range)));
};

/** Rows to request of a list. */
export interface DatedRequest {
  /** Dates from then on, ms since 1970. */
  readonly lower: number;
  /** Dates up to then; Infinity for no end. */
  readonly upper: number;
  /** True when they are to ascend by the date. */
  readonly sorted: boolean;
  readonly names: Names;
}

/** A list of the site with one date, as its pull reads it. */
export interface DatedList {
  readonly path: string;
  /** Date of a row, ms since 1970; undefined when it is unreadable. */
  keyOf(row: unknown): number | undefined;
  /** Parameters of a request. A site that refuses `sorted` with 400 is read without. */
  queryOf(request: DatedRequest): SiteQuery;
  /** Puts rows on the bus. Those of the overlap of two listings, and of a page whose state was not saved, come again. @param state the state that is saved next */
  publish(rows: readonly unknown[], state: DatedState): Promise<void>;
}

/** Dependencies of reading a list. */
export interface DatedContext extends ReadingContext<DatedState> {
  readonly site: Pick<SiteReader, 'page'>;
  readonly settings: DatedSettings;
  readonly report: ListReport;
}

/**
 * Reads a list by its date: what is new since the watermark, and what no listing has covered, in whatever order the site returns it.
 * @returns the number of pages too, without those that only check whether the site answers
 * @throws RelayError of the site, the bus and the store
 */
export const readDated = async (
  context: DatedContext,
  list: DatedList,
): Promise<Reading<DatedState> & { readonly pages: number }> => {
  const { site, settings, report, clock, signal, keptState } = context;
  const { path, keyOf } = list;
  let pages = 0;
  const request = (range: DatedRange, lower: number, upper: number) => {
    const names = namesOf(range, settings.names);
    return site.page(path, list.queryOf({ lower, upper, sorted: range.unsorted !== true, names }), { signal });
  };
  const ranged: RangedList<DatedRange, DatedState, Ask, unknown> = {
    next: (state, now) => ({ state, ask: nextAsk(state, settings, now) }),
    read({ range, upper: most }) {
      const page = (lower: number, upper: number) => {
        pages += 1;
        return request(range, lower, upper);
      };
      return readPart({ page, keyOf, path, clock, sorted: range.unsorted !== true }, range.from, most);
    },
    take(kept, ask, part) {
      const facts = { ...part, keys: part.rows.map(keyOf) };
      const { state, take, notices } = judgePart(kept, settings, ask, facts);
      for (const notice of notices) report.clock(notice);
      if (!take) return { state, rows: [] };
      if (part.cutAt !== undefined) report.cut(part.cutAt);
      return { state: afterPart(state, ask, facts), rows: part.rows };
    },
    publish: (rows, state) => list.publish(rows, state),
    afterRefusal(state, ask, error) {
      if (isRelayError(error, 'site_refused') && !ask.range.unsorted && error.details['status'] === 400)
        return withoutSorting(state, ask);
      throw error;
    },
    hides,
    probe: ({ range }) => request({ ...range, unsorted: true }, noEndMs, noEndMs),
    onWaiting: (range, _ask, error) => report.waiting(range, error),
  };
  const reading = await readRanges(context, ranged, beginDated(keptState.first, settings));
  return { ...reading, pages };
};
