import { z } from 'zod';
import { aroundHoles, behindPart, narrowing, notNarrowed, partEnd } from '../pull/narrow.ts';
import { commonState } from '../pull/kept-state.ts';
import { instant, type Part, secondMs } from '../pull/position.ts';
import { checkWatermark } from '../pull/site-clock.ts';
import type { ClockNotice } from '../pull/notices.ts';
import type { Chosen } from './choose.ts';
import type { PullEventsConfig } from './parts.ts';
import { compareWanted, gapSchema, listedSchema, stillWanted } from './gaps.ts';

const listingSchema = z.object({
  /** Everything before then was read. */
  at: instant,
  ...narrowing,
  /** The site's time when the listing began; missing until the site has answered. */
  began: instant.optional(),
  /** The latest date seen. */
  newest: instant.optional(),
  /** True when the listing begins at the configured start because the settings force it. */
  forced: z.boolean(),
  /** The site cannot sort: the listing requests spans of this many ms, each small enough for one page; null for a span without an end. */
  span_ms: z.int().min(1).nullable().optional(),
  /** Number of rows of a page that such a span filled. */
  page_rows: z.int().min(1).optional(),
  /** The gap being listed; missing for a listing of new events since the watermark. */
  gap: gapSchema.optional(),
});

export const eventsStateSchema = z.looseObject({
  ...commonState,
  /** The date field of `last_execution`; with another field the watermark is invalid. */
  by: z.enum(['updated_at', 'created_at', 'event_time']).optional(),
  /** An unfinished listing. */
  cursor: listingSchema.optional(),
  /** The part that the listings cover; when it grows, the added events become due. */
  listed: listedSchema.optional(),
  /** Gaps that are due after the listing of new events. */
  gaps: z.array(gapSchema).optional(),
  /** Holes, by the configured date field: the site fails on them while it answers other requests. */
  holes: z.array(z.object({ from: instant, to: instant })).optional(),
  /** When the holes were last requested, by the local clock. */
  holes_at: instant.optional(),
});

type Listing = Readonly<z.output<typeof listingSchema>>;
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
  readonly lower: number;
  /** Infinity for no end. */
  readonly upper: number;
  /** End of the list; `upper` is earlier when the site fails on something. */
  readonly end: number;
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

const usualPageRows = 100;

const beginListing = (since: number, forced: boolean): Listing => ({ at: since, forced });

/** Reports are written late: yesterday's event may be recorded tomorrow. */
const backMs = ({ field, overlapMs, lateMs }: EventsSettings): number => (field === 'event_time' ? lateMs : overlapMs);

const listingFrom = (watermark: number, settings: EventsSettings): Listing =>
  beginListing(Math.max(settings.start, watermark - backMs(settings)), false);

/** An unfinished gap waits, from the position of its listing, for the listing of new events. */
const unfinishedGaps = ({ cursor, gaps = [] }: EventsState): NonNullable<EventsState['gaps']> =>
  cursor?.gap ? [{ ...cursor.gap, lower: cursor.at }, ...gaps.slice(1)] : gaps;

/** The state of a new run: an unfinished listing continues, unless the settings have changed since. */
export const beginEvents = (kept: EventsState, settings: EventsSettings): EventsState => {
  const { start, forced, field, hash } = settings;
  const watermark = (kept.by ?? field) === field ? kept.last_execution : undefined;
  const isSame = kept.settings_hash === hash && kept.cursor?.gap === undefined;
  const going = isSame && (!forced || kept.cursor?.forced === true) ? kept.cursor : undefined;
  const isForced = forced || kept.cursor?.forced === true;
  const anew = isForced || watermark === undefined ? beginListing(start, isForced) : listingFrom(watermark, settings);
  const cursor = going ?? anew;
  const wanted = { ...settings.chosen, start, backMs: backMs(settings) };
  const unfinished = unfinishedGaps(kept);
  const { listed, gaps } = compareWanted(kept.listed, wanted, unfinished.length > 0 ? undefined : watermark);
  const isWhole = !going && (isForced || watermark === undefined);
  const due = isWhole ? [] : stillWanted([...unfinished, ...gaps], wanted);
  return {
    ...kept,
    last_execution: watermark,
    by: field,
    settings_hash: hash,
    cursor,
    listed,
    gaps: due.length > 0 ? [...due] : undefined,
  };
};

const listEnd = ({ gap }: Listing, end: number): number => Math.min(end, gap?.upper ?? Infinity);

/** The next request; undefined when the listing has ended. */
export const nextEventsAsk = ({ cursor, holes = [] }: EventsState, { end }: EventsSettings): EventsAsk | undefined => {
  if (!cursor) return undefined;
  const { at, span_ms: span } = cursor;
  const whole = Math.min(listEnd(cursor, end), typeof span === 'number' ? at + span : Infinity);
  const { since, to } = aroundHoles(at, whole, holes);
  return {
    lower: since,
    upper: Math.min(to, partEnd(since, whole, cursor)),
    end: whole,
    sorted: span === undefined,
  };
};

/** Returns the state with changes to its listing. */
export const withCursor = (state: EventsState, changes: Partial<Listing>): EventsState =>
  state.cursor ? { ...state, cursor: { ...state.cursor, ...changes } } : state;

/** Moves the listing behind a hole. */
export const beyondHole = (state: EventsState, since: number): EventsState =>
  withCursor(state, { at: since, ...notNarrowed });

/** The first answer of a listing shows the site's clock: checks the watermark, and restarts the listing when the watermark is invalid. */
const checkClock = (state: EventsState, settings: EventsSettings, { siteTime, now }: EventsPart): Judged => {
  const { cursor, last_execution: kept, clock_offset_ms: offsetMs } = state;
  if (siteTime === undefined || !cursor || cursor.began !== undefined) return { state, take: true, notices: [] };
  const noted = withCursor({ ...state, clock_offset_ms: siteTime - now }, { began: siteTime });
  if (kept === undefined || cursor.forced || cursor.gap) return { state: noted, take: true, notices: [] };
  const clock = { watermark: kept, offsetMs, siteTime, now, maxJumpMs: settings.lateMs };
  const { watermark, notices } = checkWatermark(clock);
  if (watermark === kept) return { state: noted, take: true, notices: [] };
  const anew = { ...listingFrom(watermark, settings), began: siteTime };
  return { state: { ...noted, last_execution: watermark, cursor: anew }, take: false, notices };
};

/** Switches to requests without sorting. Rows of one page may be followed by rows of any date, so only a list of one page is complete. */
export const withoutSorting = (state: EventsState): EventsState => withCursor(state, { span_ms: null });

/** Half of the requested span; a second is requested whole. */
const halved = ({ lower, upper }: EventsAsk, { keys, siteTime = -Infinity }: EventsPart): number => {
  const newest = Math.max(siteTime, ...keys.map((key) => key ?? -Infinity));
  const end = Math.min(upper, Number.isFinite(newest) ? newest : lower);
  return Math.max(secondMs, Math.floor((end - lower) / 2));
};

/** Whether a part can be used, and what to request instead when it cannot. */
export const judgePart = (state: EventsState, settings: EventsSettings, ask: EventsAsk, part: EventsPart): Judged => {
  const checked = checkClock(state, settings, part);
  if (!checked.take || part.through !== undefined) return checked;
  const next = ask.sorted
    ? withoutSorting(checked.state)
    : withCursor(checked.state, { span_ms: halved(ask, part), page_rows: Math.max(1, part.keys.length) });
  return { ...checked, state: next, take: false };
};

/** Starts the listing of the next gap, if any; the gap stays due until its end. */
const beginGap = (state: EventsState, gaps: EventsState['gaps'] = []): EventsState => {
  const [gap] = gaps;
  return gap ? { ...state, gaps, cursor: { ...beginListing(gap.lower, false), gap } } : { ...state, gaps: undefined };
};

/** Ends a listing. The watermark moves to the latest date certainly seen, never past the site's clock. */
const endListing = ({ cursor, ...state }: EventsState): EventsState => {
  if (cursor?.gap) return beginGap(state, state.gaps?.slice(1));
  const seen = Math.min(cursor?.newest ?? -Infinity, cursor?.began ?? Infinity);
  const watermark = Math.max(state.last_execution ?? -Infinity, seen);
  return beginGap(Number.isFinite(watermark) ? { ...state, last_execution: watermark } : state, state.gaps);
};

/** Updates the state after the platform has the events of a part. */
export const afterEvents = (
  state: EventsState,
  { end }: EventsSettings,
  ask: EventsAsk,
  { keys, siteTime, now, through = ask.upper }: EventsPart,
): EventsState => {
  const { cursor } = state;
  if (!cursor) return state;
  const newest = Math.max(cursor.newest ?? -Infinity, ...keys.map((key) => key ?? -Infinity));
  const known = withCursor(state, { failures: undefined });
  const seen = Number.isFinite(newest) ? withCursor(known, { newest }) : known;
  if (through < ask.upper) return withCursor(seen, { at: through });
  if (ask.upper < ask.end) return withCursor(seen, { at: ask.upper, ...behindPart(ask.upper, cursor) });
  const { span_ms: span } = cursor;
  if (ask.sorted || ask.upper >= listEnd(cursor, end) || typeof span !== 'number') return endListing(seen);
  // Spans that are at most half full grow, and the last one has no end.
  const isRoomy = keys.length <= (cursor.page_rows ?? usualPageRows) / 2;
  const grown = isRoomy ? span * 2 : span;
  const isLast = isRoomy && ask.upper + grown > (siteTime ?? now);
  return withCursor(seen, { at: ask.upper, span_ms: isLast ? null : grown });
};
