import type { SiteQuery } from '@ranger-relay/site';
import type { ClockNotice } from '../pull/notices.ts';
import { lowerBound, pageParameters, type Part } from '../pull/position.ts';
import { aroundHoles, behindPart, noEndMs, notNarrowed, partEnd } from '../pull/narrow.ts';
import { checkWatermark } from '../pull/site-clock.ts';
import { backfillEnd, backfillSources, compareListed, goOn, nextBackfill } from './gaps.ts';
import { holesOf, withHoles } from './holes.ts';
import type { Backfill, Listing, PullState } from './state.ts';

/** Settings of a run; times are ms since 1970, spans ms. */
export interface PlanSettings {
  readonly start: number;
  /** Exclusive end: rows recorded then or later are ignored; Infinity for no end. */
  readonly end: number;
  readonly partMs: number;
  readonly forced: boolean;
  /** Sorted ids, or null alone for all sources. */
  readonly sources: readonly (string | null)[];
  /** Hash of the settings that kept positions depend on. */
  readonly hash: string;
  readonly overlapMs: number;
  readonly lateMs: number;
}

type Walk = 'backfill' | 'cursor';

/** The next request. */
export interface Ask {
  readonly walk: Walk;
  readonly source: string | null;
  /** Rows recorded before then were read, ms since 1970. */
  readonly at: number;
  /** Recorded from then on, ms since 1970. */
  readonly from: number;
  /** Recorded before; Infinity for no end. */
  readonly to: number;
  /** End of the whole unit; `to` is earlier when the site fails on something. */
  readonly end: number;
  /** Saved from then on; rows with an earlier time of saving were taken before. */
  readonly savedFrom: number;
  /** True when the request asks for rows saved since then. */
  readonly byArrival: boolean;
}

/** Facts of a part of a list that the plan uses. */
export interface PartFacts extends Pick<Part, 'siteTime'> {
  readonly rows: readonly { readonly recordedAt: number | undefined; readonly savedAt: number | undefined }[];
  /** All rows before then were read, ms since 1970. */
  readonly through: number;
  /** Local time when the page arrived. */
  readonly now: number;
}

/** Notices to report to the activity log. */
export type Notice = ClockNotice | { readonly kind: 'arrival_ignored' };

/** Result of a part. */
export interface Step {
  readonly state: PullState;
  /** False when the part was requested with an invalid bound; nothing of it is used. */
  readonly take: boolean;
  readonly notices: readonly Notice[];
}

/** When a site returns rows saved more than this before the requested bound, it ignored the bound, ms. */
const arrivalSlackMs = 1_000;

const iso = (ms: number): string => new Date(ms).toISOString();

const firstSource = ({ sources }: PlanSettings): string | null => sources[0] ?? null;

/** The source to continue with: the kept one, or a neighbour when the groups no longer have it. */
const dueSource = (sources: PlanSettings['sources'], kept: string | null): string | null =>
  sources.find((source) => source === kept || source === null || kept === null || source > kept) ??
  sources.at(-1) ??
  null;

const beginBackfill = (settings: PlanSettings, forced: boolean): Backfill => ({
  part: settings.start,
  until: Number.isFinite(settings.end) ? settings.end : null,
  source: firstSource(settings),
  at: settings.start,
  forced,
});

const beginListing = (settings: PlanSettings, watermark: number | undefined): Listing => ({
  created_after: watermark === undefined ? null : watermark - settings.overlapMs,
  by_recording: false,
  source: firstSource(settings),
  at: settings.start,
});

/** Restarts a listing by time of recording, for a site without a filter by arrival. */
const byRecording = (settings: PlanSettings, listing: Listing): Listing => ({
  ...listing,
  by_recording: true,
  source: firstSource(settings),
  at: windowStart(settings, listing),
});

const windowStart = ({ start, lateMs }: PlanSettings, { created_after: after }: Listing): number =>
  Math.max(start, (after ?? start) - lateMs);

/** The state of a new run, and the order of its walks. @param now local time, by which holes become due */
export const beginRun = (
  before: PullState,
  settings: PlanSettings,
  now: number,
): { readonly state: PullState; readonly order: readonly Walk[] } => {
  const { state: kept, due } = withHoles(before, now);
  const isNew = kept.settings_hash === undefined && kept.last_execution === undefined && !kept.backfill;
  const changed = kept.settings_hash !== undefined && kept.settings_hash !== settings.hash;
  const isUnknown = changed && kept.listed === undefined && kept.backfill !== undefined;
  const begins = isNew || (settings.forced && kept.backfill?.forced !== true) || isUnknown;
  const forced = settings.forced || kept.backfill?.forced === true;
  const { listed, gaps } = compareListed(kept, settings);
  const backfill = begins ? beginBackfill(settings, forced) : goOn(kept.backfill, [...gaps, ...due], settings);
  const listing = changed ? undefined : kept.cursor;
  const isListed = kept.last_execution !== undefined || backfill === undefined;
  const cursor = listing ?? (isListed ? beginListing(settings, kept.last_execution) : undefined);
  const [first, second]: readonly [Walk, Walk] =
    begins || kept.turn === 'backfill' ? ['backfill', 'cursor'] : ['cursor', 'backfill'];
  const again = settings.forced && begins && !isNew;
  const state = {
    ...kept,
    settings_hash: settings.hash,
    attempt: again ? (kept.attempt ?? 1) + 1 : kept.attempt,
    listed,
    backfill,
    cursor,
    turn: backfill && cursor ? second : undefined,
    runs_without_page: kept.runs_without_page + 1,
  };
  return { state, order: [first, second] };
};

/** Parameters of a request for a part of what is due, by default for all of it. */
export const queryOf = (ask: Ask, at = ask.at, to = ask.to): SiteQuery => ({
  since: lowerBound(at),
  until: Number.isFinite(to) ? iso(to) : iso(noEndMs),
  ...(ask.byArrival && Number.isFinite(ask.savedFrom) ? { created_after: lowerBound(ask.savedFrom) } : {}),
  ...(ask.source === null ? {} : { source_id: ask.source }),
  filter: 'null',
  include_details: 'true',
  ...pageParameters(at, to),
});

/** A part ends where the next one begins; the last one stays open for rows recorded by a clock that runs ahead. */
const unitEnd = (backfill: Backfill, settings: PlanSettings, now: number): number => {
  const [next, end] = [backfill.part + settings.partMs, backfillEnd(backfill, settings)];
  return next >= now ? end : Math.min(next, end);
};

const sourcesOf = ({ backfill }: PullState, settings: PlanSettings, walk: Walk): PlanSettings['sources'] =>
  walk === 'backfill' && backfill ? backfillSources(backfill, settings) : settings.sources;

const boundsOf = (state: PullState, settings: PlanSettings, walk: Walk, now: number) => {
  const { backfill, cursor } = state;
  if (walk === 'backfill' && backfill) {
    const { part: from, saved_from: savedFrom = -Infinity } = backfill;
    return { from, end: unitEnd(backfill, settings, now), savedFrom, byArrival: false };
  }
  if (walk !== 'cursor' || !cursor) return undefined;
  const from = cursor.by_recording ? windowStart(settings, cursor) : settings.start;
  return {
    from,
    end: settings.end,
    savedFrom: cursor.created_after ?? -Infinity,
    byArrival: !cursor.by_recording && cursor.created_after !== null,
  };
};

/** The next request; undefined when the run has nothing left to do. @param now local time; it only determines where parts may end */
export const nextAsk = (
  state: PullState,
  settings: PlanSettings,
  order: readonly Walk[],
  now: number,
): Ask | undefined => {
  for (const walk of order) {
    const bounds = boundsOf(state, settings, walk, now);
    const unit = state[walk];
    if (!bounds || !unit) continue;
    const source = dueSource(sourcesOf(state, settings, walk), unit.source);
    const isKept = source === unit.source;
    const kept = isKept ? unit.at : bounds.from;
    const holes =
      walk === 'backfill' && state.backfill?.hole === true
        ? []
        : holesOf(state, { source, savedFrom: bounds.savedFrom });
    const { since: at, to: clear } = aroundHoles(kept, bounds.end, holes);
    const to = Math.min(clear, isKept ? partEnd(at, bounds.end, unit) : bounds.end);
    return { walk, source, at, to, ...bounds };
  }
  return undefined;
};

const withWalk = (state: PullState, walk: Walk, changes: Partial<Backfill> & Partial<Listing>): PullState => {
  const unit = state[walk];
  return unit ? { ...state, [walk]: { ...unit, ...changes } } : state;
};

/** Ends a listing: the watermark moves to the latest time certainly seen, never past the site's clock. */
const endListing = ({ cursor, ...state }: PullState): PullState => {
  const { began = Infinity, newest, by_recording: byRecordingTime } = cursor ?? {};
  const seen = Math.min(newest ?? (byRecordingTime === true ? began : -Infinity), began);
  const watermark = Math.max(state.last_execution ?? -Infinity, seen);
  return Number.isFinite(watermark) ? { ...state, last_execution: watermark } : state;
};

/** Moves behind the unit of a request: to the next source, else the next part, else the end. */
const behindUnit = (kept: PullState, settings: PlanSettings, { walk, source, from, end }: Ask): PullState => {
  const state = withWalk(kept, walk, notNarrowed);
  const sources = sourcesOf(state, settings, walk);
  const next = sources[sources.indexOf(source) + 1];
  if (next !== undefined) return withWalk(state, walk, { source: next, at: from });
  if (walk === 'cursor') return endListing(state);
  const { backfill, ...rest } = state;
  if (backfill && end < backfillEnd(backfill, settings))
    return withWalk(state, walk, { part: end, source: sources[0] ?? null, at: end });
  return { ...rest, backfill: nextBackfill(backfill?.next ?? [], backfill?.forced === true, settings) };
};

const isIgnored = ({ byArrival, savedFrom }: Ask, { rows }: PartFacts): boolean =>
  byArrival &&
  rows.some(({ recordedAt, savedAt = -Infinity }) => recordedAt !== undefined && savedAt < savedFrom - arrivalSlackMs);

/**
 * Reads the site's clock from the first answer of a walk. Rows that arrive during the first back-fill are listed from its beginning on.
 * Before a listing the watermark is checked; the listing restarts when the watermark is invalid.
 */
const checkClock = (state: PullState, settings: PlanSettings, walk: Walk, { siteTime, now }: PartFacts): Step => {
  const plain = { state, take: true, notices: [] };
  const { last_execution: kept, clock_offset_ms: offsetMs, cursor } = state;
  const isFirst = walk === 'cursor' ? cursor?.began === undefined : kept === undefined;
  if (siteTime === undefined || !isFirst) return plain;
  const noted = { ...state, clock_offset_ms: siteTime - now };
  if (walk === 'backfill') return { ...plain, state: { ...noted, last_execution: siteTime } };
  const began = withWalk(noted, 'cursor', { began: siteTime });
  if (kept === undefined) return { ...plain, state: began };
  const clock = { watermark: kept, offsetMs, siteTime, now, maxJumpMs: settings.lateMs };
  const { watermark, notices } = checkWatermark(clock);
  if (watermark === kept) return { ...plain, state: began };
  const anew = { ...beginListing(settings, watermark), began: siteTime };
  return { state: { ...noted, last_execution: watermark, cursor: anew }, take: false, notices };
};

const newestOf = ({ rows }: PartFacts): number =>
  rows.reduce((newest, { savedAt = -Infinity }) => Math.max(newest, savedAt), -Infinity);

/** Moves behind a request: to the next part of the unit when the site fails on something, else to the next unit. */
const behindAsk = (state: PullState, settings: PlanSettings, ask: Ask): PullState =>
  ask.to < ask.end
    ? withWalk(state, ask.walk, {
        source: ask.source,
        at: ask.to,
        ...behindPart(ask.to, state[ask.walk] ?? {}),
      })
    : behindUnit(state, settings, ask);

/** Updates the state with a part of what is due. The new state is valid once the part's rows are on the bus. */
export const afterPart = (kept: PullState, settings: PlanSettings, ask: Ask, part: PartFacts): Step => {
  const checked = checkClock(kept, settings, ask.walk, part);
  if (!checked.take) return checked;
  const { state, notices } = checked;
  if (isIgnored(ask, part))
    return { ...ignoreArrival(state, settings), notices: [...notices, { kind: 'arrival_ignored' }] };
  const newest = Math.max(state.cursor?.newest ?? -Infinity, newestOf(part));
  const seen = ask.walk === 'cursor' && Number.isFinite(newest) ? withWalk(state, 'cursor', { newest }) : state;
  const moved =
    part.through < ask.to
      ? withWalk(seen, ask.walk, { source: ask.source, at: part.through, failures: undefined })
      : behindAsk(seen, settings, ask);
  return { state: { ...moved, runs_without_page: 0 }, take: true, notices };
};

/** The site ignores or refuses the bound on arrival: the listing continues by time of recording. */
export const ignoreArrival = (state: PullState, settings: PlanSettings): Step => ({
  state: state.cursor ? { ...state, cursor: byRecording(settings, state.cursor) } : state,
  take: false,
  notices: [],
});

/** The site permanently refuses this unit: continues with the next one. */
export const skipUnit = behindUnit;
