import type { StateValue } from '@ranger-relay/actions';
import { RelayError } from '@ranger-relay/errors';
import { z } from 'zod';

const iso = z.iso.datetime();

const cursorSchema = z.object({
  start: iso,
  end: iso,
  subwindow_days: z.int().min(1),
  /** Null alone: all sources at once. */
  sources: z.array(z.string().nullable()).min(1),
  window_index: z.int().min(0),
  source_index: z.int().min(0),
  /** Runs in a row, the present one included, that finished no unit. */
  no_progress_count: z.int().min(0),
  units_failed: z.int().min(0),
});

/** How far a pull has come, as it is kept between runs (platform contract, `pull_observations`). */
export type Cursor = Readonly<z.output<typeof cursorSchema>>;

/** A half-open slice of time of one source, or of all. */
export interface Unit {
  readonly source: string | null;
  /** ms since 1970. */
  readonly from: number;
  /** Not part of it. */
  readonly to: number;
}

const dayMs = 86_400_000;

/** What was kept. @throws RelayError `state_unreadable`: starting anew could pass over what was not pulled */
export const readCursor = (kept: StateValue, key: string): Cursor => {
  const { data, error } = cursorSchema.safeParse(kept);
  if (data) return data;
  const problem = `backfill.${error.issues[0]?.path.map(String).join('.') ?? ''} does not fit`;
  throw new RelayError('state_unreadable', { details: { key, problem } });
};

/** A pull that has not begun. */
export const firstCursor = (
  start: number,
  end: number,
  subwindowDays: number,
  sources: readonly (string | null)[],
): Cursor => ({
  start: new Date(start).toISOString(),
  end: new Date(end).toISOString(),
  subwindow_days: subwindowDays,
  sources: [...sources],
  window_index: 0,
  source_index: 0,
  no_progress_count: 0,
  units_failed: 0,
});

/** The unit that is due; undefined when all are done. All sources of one slice come before the next slice. */
export const unitOf = (cursor: Cursor): Unit | undefined => {
  const [start, end] = [Date.parse(cursor.start), Date.parse(cursor.end)];
  const length = cursor.subwindow_days * dayMs;
  const from = start + cursor.window_index * length;
  const source = cursor.sources[cursor.source_index];
  if (from >= end || source === undefined) return undefined;
  return { source, from, to: Math.min(from + length, end) };
};

/** The cursor behind the unit that is due. */
export const afterUnit = (cursor: Cursor, failed: boolean): Cursor => {
  const last = cursor.source_index + 1 >= cursor.sources.length;
  return {
    ...cursor,
    window_index: cursor.window_index + (last ? 1 : 0),
    source_index: last ? 0 : cursor.source_index + 1,
    no_progress_count: 0,
    units_failed: cursor.units_failed + (failed ? 1 : 0),
  };
};
