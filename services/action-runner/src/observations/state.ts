import { z } from 'zod';
import { coverageSchema } from '../pull/coverage.ts';
import { commonState } from '../pull/kept-state.ts';
import { instant } from '../pull/position.ts';
import { rangeMembers } from '../pull/ranges.ts';

const rangeSchema = z.object({
  ...rangeMembers,
  /** Rows saved before then were published already. */
  saved_from: instant.optional(),
  /** Of this source alone; null for all sources at once. Missing in a range that is still to be divided by source and part of time. */
  source: z.string().nullable().optional(),
  /** Of these sources; missing for all of the settings. */
  sources: z.array(z.string().nullable()).optional(),
  /** Of the sources that sort behind this one: those up to it were read. */
  after: z.string().optional(),
});

const listedSchema = z.object({
  start: instant,
  end: instant.nullable(),
  /** Missing when there are too many sources. */
  sources: coverageSchema.optional(),
});

export const pullStateSchema = z.looseObject({
  ...commonState,
  /** What is left to read, in the order of reading: rows that arrived since the watermark, and older ones. */
  ranges: z.array(rangeSchema).default([]),
  /** The part that the listings cover; when it grows, the added rows become due. */
  listed: listedSchema.optional(),
  /** Number of consecutive runs without a page, including the current one. */
  runs_without_page: z.int().min(0).default(0),
});

export type PullRange = Readonly<z.output<typeof rangeSchema>>;
export type Listed = Readonly<z.output<typeof listedSchema>>;
/** State of `pull_observations` between runs (platform contract, `pull_observations`). */
export type PullState = Readonly<z.output<typeof pullStateSchema>>;
