import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { commonState } from '../pull/kept-state.ts';
import type { ClockNotice } from '../pull/notices.ts';
import { type Part, secondMs } from '../pull/position.ts';
import {
  endOf,
  isWaiting,
  nextRange,
  readUpTo,
  replaced,
  split,
  withNewest,
  without,
  withRanges,
} from '../pull/ranges.ts';
import { noteClock } from '../pull/site-clock.ts';
import type { Chosen } from './choose.ts';
import { compareWanted, type EventsRange, eventsRangeSchema, listedSchema, wantedPart } from './gaps.ts';
import type { PullEventsConfig } from './dependencies.ts';

export const eventsStateSchema = z.looseObject({
  ...commonState,
  /** The date field of `last_execution` and of the ranges; with another field they are invalid. */
  by: z.enum(['updated_at', 'created_at', 'event_time']).optional(),
  /** What is left to read, in the order of reading: what is new since the watermark, and what no listing has covered. */
  ranges: z.array(eventsRangeSchema).default([]),
  /** The part that the listings cover; when it grows, the added events become due. */
  listed: listedSchema.optional(),
});

/** State of `pull_events` between runs, for the action as a whole (platform contract, `pull_events`). */
export type EventsState = Readonly<z.output<typeof eventsStateSchema>>;

/** Settings of a run; times are ms since 1970, spans ms. */
export interface EventsSettings {
  readonly start: number;
  /** Infinity for no end. */
  readonly end: number;
  readonly forced: boolean;
  /** Ids to request from the site. */
  readonly chosen: Chosen;
  readonly field: PullEventsConfig['filter_date_field'];
  readonly hash: string;
  readonly overlapMs: number;
  readonly lateMs: number;
}

/** The next page to request. */
export interface EventsAsk {
  /** What it reads. */
  readonly range: EventsRange;
  readonly lower: number;
  /** Infinity for no end. */
  readonly upper: number;
  /** True when the list ascends by the configured date field. */
  readonly sorted: boolean;
}

/** Facts of a part of the list that the plan uses. */
export interface EventsPart extends Pick<Part, 'through' | 'siteTime'> {
  /** Date of each row, ms since 1970; undefined when it is unreadable. */
  readonly keys: readonly (number | undefined)[];
  /** Local time when the part arrived. */
  readonly now: number;
}

/** Result of judging a part. */
export interface Judged {
  readonly state: EventsState;
  /** False when the request may have missed rows; nothing of the part is used. */
  readonly take: boolean;
  readonly notices: readonly ClockNotice[];
}

/** Reports are written late: yesterday's event may be recorded tomorrow. */
const backMs = ({ field, overlapMs, lateMs }: EventsSettings): number => (field === 'event_time' ? lateMs : overlapMs);

/** Whether a request for a range meets the event of a waiting one, which is then read with it: of the same names, or of all of the run. */
export const hides = (waiting: EventsRange, { types, categories }: EventsRange): boolean =>
  (waiting.types === undefined && waiting.categories === undefined) ||
  isDeepStrictEqual([waiting.types, waiting.categories], [types, categories]);

/** The state with a listing that begins anew, in the place of the one that it has. */
const withListing = (state: EventsState, settings: EventsSettings, isForced: boolean): EventsState => {
  const { last_execution: watermark } = state;
  const { start } = settings;
  const from = isForced || watermark === undefined ? start : Math.max(start, watermark - backMs(settings));
  const range: EventsRange = { from, to: null, listing: true, ...(isForced ? { forced: true } : {}) };
  const others = state.ranges.filter(({ listing }) => !listing);
  const waiting = others.filter((each) => isWaiting(each) && hides(each, range));
  return { ...state, listing: {}, ranges: [...others, ...without(range, waiting)] };
};

/** The state of a new run: an unfinished listing continues, unless the settings have changed since. */
export const beginEvents = (kept: EventsState, settings: EventsSettings): EventsState => {
  const { start, forced, field, hash } = settings;
  const isSameField = (kept.by ?? field) === field;
  const watermark = isSameField ? kept.last_execution : undefined;
  const ranges = isSameField ? kept.ranges : [];
  const listing = ranges.filter((range) => range.listing);
  const older = ranges.filter((range) => !range.listing);
  const wasForced = listing.some((range) => range.forced);
  const isForced = forced || wasForced;
  const going = kept.settings_hash === hash && (!forced || wasForced) ? listing : [];
  const isGoing = going.length > 0;
  const isWhole = !isGoing && (isForced || watermark === undefined);
  const wanted = { ...settings.chosen, start, backMs: backMs(settings) };
  const { listed, gaps } = compareWanted(kept.listed, wanted, older.every(isWaiting) ? watermark : undefined);
  const due = (some: readonly EventsRange[]) => (isWhole ? [] : some.flatMap((range) => wantedPart(range, wanted)));
  const before = ranges.filter((range) => !range.listing || isGoing);
  const state = {
    ...kept,
    last_execution: watermark,
    by: field,
    settings_hash: hash,
    listed,
    ranges: [...due(before)],
  };
  const begun = isGoing ? state : withListing(state, settings, isForced);
  const all = [...begun.ranges, ...due(gaps)];
  return withRanges(
    begun,
    all.filter(({ from }) => from < settings.end),
  );
};

/** The next request; undefined when nothing is left to do. @param now local time */
export const nextEventsAsk = ({ ranges }: EventsState, { end }: EventsSettings, now: number): EventsAsk | undefined => {
  const range = nextRange(ranges, now);
  return range && { range, lower: range.from, upper: Math.min(endOf(range), end), sorted: range.unsorted !== true };
};

/** The first answer of a listing shows the site's clock: checks the watermark, and restarts the listing when the watermark is invalid. */
const checkClock = (state: EventsState, settings: EventsSettings, { range }: EventsAsk, part: EventsPart): Judged => {
  const { siteTime, now } = part;
  if (siteTime === undefined || !range.listing || state.listing?.began !== undefined)
    return { state, take: true, notices: [] };
  const restart = (from: EventsState): EventsState => withListing(from, settings, false);
  return noteClock(state, { siteTime, now, maxJumpMs: settings.lateMs, isFromWatermark: !range.forced, restart });
};

/** Switches to requests without sorting. Rows of one page may be followed by rows of any date, so only a list of one page is complete. */
export const withoutSorting = (state: EventsState, { range }: EventsAsk): EventsState =>
  withRanges(state, replaced(state.ranges, range, [{ ...range, unsorted: true }]));

/** The middle of what a request found; a second is requested whole. */
const middle = ({ lower, upper }: EventsAsk, { keys, siteTime = -Infinity }: EventsPart): number => {
  const newest = Math.max(siteTime, ...keys.map((key) => key ?? -Infinity));
  const end = Math.min(upper, Number.isFinite(newest) ? newest : lower);
  return lower + Math.max(secondMs, Math.floor((end - lower) / 2));
};

/** Whether a part can be used, and what to request instead when it cannot. */
export const judgePart = (kept: EventsState, settings: EventsSettings, ask: EventsAsk, part: EventsPart): Judged => {
  const checked = checkClock(kept, settings, ask, part);
  if (!checked.take || part.through !== undefined) return checked;
  const { state } = checked;
  const next = ask.sorted
    ? withoutSorting(state, ask)
    : withRanges(state, replaced(state.ranges, ask.range, split(ask.range, middle(ask, part))));
  return { ...checked, state: next, take: false };
};

/** Updates the state after the events of a part are on the bus. */
export const afterEvents = (
  state: EventsState,
  ask: EventsAsk,
  { keys, through = ask.upper }: Pick<EventsPart, 'keys' | 'through'>,
): EventsState => {
  const { range } = ask;
  const seen = withNewest(state, range, Math.max(-Infinity, ...keys.map((key) => key ?? -Infinity)));
  // What lies behind the configured end is not wanted.
  return withRanges(seen, readUpTo(seen.ranges, range, through < ask.upper ? through : endOf(range)));
};
