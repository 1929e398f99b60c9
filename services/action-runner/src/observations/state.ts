import type { StateValue } from '@ranger-relay/actions';
import { z } from 'zod';
import { coverageSchema } from '../pull/coverage.ts';
import { narrowing } from '../pull/narrow.ts';
import { commonState } from '../pull/kept-state.ts';
import { instant, positionSchema } from '../pull/position.ts';

/** One source, or all of them when null, and where its list stands. */
const unit = { source: z.string().nullable(), at: positionSchema, ...narrowing };

const bounds = {
  /** What was recorded then or later is left to others; null for no end. */
  until: instant.nullable(),
  /** Of these sources alone; missing for all that have no gap of their own. */
  sources: z.array(z.string().nullable()).optional(),
  /** What was saved before was passed on already. */
  saved_from: instant.optional(),
  /** The site failed on it before. */
  hole: z.boolean().optional(),
};

const gapSchema = z.object({ from: instant, ...bounds });

const backfillSchema = z.object({
  ...unit,
  ...bounds,
  until: bounds.until.optional(),
  /** Where the part of time begins that is worked on. */
  part: instant,
  /** It delivers again what was delivered before. */
  forced: z.boolean(),
  /** What is due behind it. */
  next: z.array(gapSchema).optional(),
});

const listedSchema = z.object({
  start: instant,
  end: instant.nullable(),
  /** Missing when they are too many. */
  sources: coverageSchema.optional(),
});

const listingSchema = z.object({
  ...unit,
  /** Saved at the site then or later; null for all that it has. */
  created_after: instant.nullable(),
  /** The site passes over that bound: windows of recording time stand in for it. */
  by_recording: z.boolean(),
  /** The site's time when the listing began; missing until it has answered. */
  began: instant.optional(),
  /** The largest time of saving that was seen. */
  newest: instant.optional(),
});

export const pullStateSchema = z.looseObject({
  ...commonState,
  /** Everything since the start, or what the listings have not taken in, by time of recording. */
  backfill: backfillSchema.optional(),
  /** What the listings take in; rows beside it are due once it grows. */
  listed: listedSchema.optional(),
  /** What has arrived since the watermark. */
  cursor: listingSchema.optional(),
  /** What the site fails on while it answers the rest; tried again in a while. */
  holes: z.array(gapSchema).optional(),
  /** When these became due last, by our clock. */
  holes_at: instant.optional(),
  /** Which of the two the next run begins with. */
  turn: z.enum(['backfill', 'cursor']).optional(),
  /** Runs in a row, the present one included, that brought no page. */
  runs_without_page: z.int().min(0).default(0),
});

export type Backfill = Readonly<z.output<typeof backfillSchema>>;
export type Gap = Readonly<z.output<typeof gapSchema>>;
export type Listed = Readonly<z.output<typeof listedSchema>>;
export type Listing = Readonly<z.output<typeof listingSchema>>;
/** What `pull_observations` keeps between runs (platform contract, `pull_observations`). */
export type PullState = Readonly<z.output<typeof pullStateSchema>>;

/** A back-fill as the last release kept it: parts of time times sources, by number. */
const unitsSchema = z.object({
  start: instant,
  end: instant,
  subwindow_days: z.int().min(1),
  sources: z.array(z.string().nullable()).min(1),
  window_index: z.int().min(0),
  source_index: z.int().min(0),
});

const dayMs = 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString();

/**
 * Makes the present form of an older state. Its times are of our clock and of recording, so that what arrived late, or while the clocks
 * differed, was missed: the next listing reaches back `lateMs`.
 */
export const upgradeState =
  (lateMs: number) =>
  (raw: StateValue): unknown => {
    const { last_execution: watermark, backfill, ...rest } = raw;
    const units = unitsSchema.safeParse(backfill).data;
    if (rest['settings_hash'] !== undefined || (backfill !== undefined && !units)) return raw;
    const ms = watermark === undefined ? units?.end : Date.parse(String(watermark));
    if (Number.isNaN(ms)) return raw;
    const marked = ms === undefined ? rest : { ...rest, last_execution: iso(ms - lateMs) };
    if (!units) return marked;
    const part = iso(units.start + units.window_index * units.subwindow_days * dayMs);
    const source = units.sources[units.source_index] ?? null;
    return { ...marked, backfill: { part, source, at: { since: part }, forced: false } };
  };
