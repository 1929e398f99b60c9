import { z } from 'zod';
import { coverageSchema } from '../pull/coverage.ts';
import { narrowing } from '../pull/narrow.ts';
import { commonState } from '../pull/kept-state.ts';
import { instant } from '../pull/position.ts';

/** One source, or all when null, and the time before which its rows were read. */
const unit = { source: z.string().nullable(), at: instant, ...narrowing };

const bounds = {
  /** Exclusive end by time of recording; null for no end. */
  until: instant.nullable(),
  /** Only these sources; missing for all that have no gap of their own. */
  sources: z.array(z.string().nullable()).optional(),
  /** Rows saved before then were published already. */
  saved_from: instant.optional(),
  /** True when the site failed on this part before. */
  hole: z.boolean().optional(),
};

const gapSchema = z.object({ from: instant, ...bounds });

const backfillSchema = z.object({
  ...unit,
  ...bounds,
  until: bounds.until.optional(),
  /** Start of the current part of time. */
  part: instant,
  /** True when rows that were delivered before are delivered again. */
  forced: z.boolean(),
  /** Gaps that are due after this back-fill. */
  next: z.array(gapSchema).optional(),
});

const listedSchema = z.object({
  start: instant,
  end: instant.nullable(),
  /** Missing when there are too many sources. */
  sources: coverageSchema.optional(),
});

const listingSchema = z.object({
  ...unit,
  /** Rows saved at the site from then on; null for all rows. */
  created_after: instant.nullable(),
  /** True when the site ignores that bound: windows of recording time replace it. */
  by_recording: z.boolean(),
  /** The site's time when the listing began; missing until the site has answered. */
  began: instant.optional(),
  /** The latest time of saving seen. */
  newest: instant.optional(),
});

export const pullStateSchema = z.looseObject({
  ...commonState,
  /** Pulls everything since the start, or what the listings have not covered, by time of recording. */
  backfill: backfillSchema.optional(),
  /** The part that the listings cover; when it grows, the added rows become due. */
  listed: listedSchema.optional(),
  /** The listing of rows that arrived since the watermark. */
  cursor: listingSchema.optional(),
  /** Parts that the site fails on while it answers other requests; retried at intervals. */
  holes: z.array(gapSchema).optional(),
  /** When the holes last became due, by the local clock. */
  holes_at: instant.optional(),
  /** The walk that the next run begins with. */
  turn: z.enum(['backfill', 'cursor']).optional(),
  /** Number of consecutive runs without a page, including the current one. */
  runs_without_page: z.int().min(0).default(0),
});

export type Backfill = Readonly<z.output<typeof backfillSchema>>;
export type Gap = Readonly<z.output<typeof gapSchema>>;
export type Listed = Readonly<z.output<typeof listedSchema>>;
export type Listing = Readonly<z.output<typeof listingSchema>>;
/** State of `pull_observations` between runs (platform contract, `pull_observations`). */
export type PullState = Readonly<z.output<typeof pullStateSchema>>;
