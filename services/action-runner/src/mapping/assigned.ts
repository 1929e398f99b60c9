import { readInstant } from './instant.ts';
import { idOf, isRow, textOf } from './read.ts';

/** When a subject wore a source: from `lower` to before `upper`, ms since 1970. */
export interface Assignment {
  readonly source: string;
  readonly subject: string;
  readonly lower: number;
  readonly upper: number;
}

/** The year that a site writes for "until further notice". */
const openYear = /^9999-/;

const boundOf = (value: unknown, open: number): number | undefined => {
  if (textOf(value) === undefined || openYear.test(String(value))) return open;
  return readInstant(value);
};

/** One row of `subjectsources`; undefined for one that cannot be read. */
export const readAssignment = (row: unknown): Assignment | undefined => {
  if (!isRow(row)) return undefined;
  const [source, subject] = [idOf(row['source']), idOf(row['subject'])];
  const range = isRow(row['assigned_range']) ? row['assigned_range'] : {};
  const lower = boundOf(range['lower'], -Infinity);
  const upper = boundOf(range['upper'], Infinity);
  if (source === undefined || subject === undefined || lower === undefined || upper === undefined) return undefined;
  return { source, subject, lower, upper };
};

/** The subject that wore the source at an instant; of several the one who got it last. */
export const subjectAt = (assignments: readonly Assignment[], at: number): string | undefined => {
  let found: Assignment | undefined;
  for (const each of assignments)
    if (each.lower <= at && at < each.upper && (!found || each.lower > found.lower)) found = each;
  return found?.subject;
};
