import type { SiteQuery } from '@ranger-relay/site';
import { z } from 'zod';

/** An instant: ISO 8601 in the store, ms since 1970 in memory. */
export const instant = z.codec(z.iso.datetime({ offset: true }), z.number(), {
  decode: (text) => Date.parse(text),
  encode: (ms) => new Date(ms).toISOString(),
});

export const positionSchema = z.object({
  since: instant,
  next: z.record(z.string(), z.string()).optional(),
  reached: instant.optional(),
});

/** Position in the reading of an ascending list. */
export interface Position {
  /** Lower bound of the list, ms since 1970. */
  readonly since: number;
  /** The site's parameters for the next page of the list; missing for its first page. */
  readonly next?: SiteQuery | undefined;
  /** Rows were read up to then, ms since 1970: the bound to restart at when the site no longer knows `next`. */
  readonly reached?: number | undefined;
}

/** Facts of a page that determine the next request. */
export interface SortedPage {
  /** Sort key of each row, ms since 1970; undefined when it is unreadable. */
  readonly keys: readonly (number | undefined)[];
  readonly next: SiteQuery | null;
}

/** Some sites exclude the bound itself, and all truncate to milliseconds; repeated rows are dropped later. */
const marginMs = 1;

/** Formats a lower bound for a request. */
export const lowerBound = (ms: number): string => new Date(ms - marginMs).toISOString();

/** Whether the readable keys ascend. */
export const ascends = (keys: SortedPage['keys']): boolean => {
  const known = keys.filter((key) => key !== undefined);
  return known.every((key, index) => index === 0 || key >= (known[index - 1] ?? key));
};

/**
 * Returns the position behind a page; undefined when the page was the last one. Numbered pages shift when rows before them come or go, so
 * the list is requested anew from the last row of the page. A page of a single instant shows no order and may be one of several: its `next`
 * is followed. A cursor keeps its place and is followed too.
 */
export const behind = (
  { since, reached = since }: Position,
  { keys, next }: SortedPage,
  followCursor: boolean,
): Position | undefined => {
  if (next === null) return undefined;
  const known = keys.filter((key) => key !== undefined);
  const [first, last] = ascends(known) ? [known[0], known.at(-1)] : [undefined, undefined];
  const furthest = Math.max(reached, last ?? reached);
  const isFollowed = first === last || furthest === since || (followCursor && next['cursor'] !== undefined);
  return isFollowed ? { since, next, reached: furthest } : { since: furthest };
};

/** The same position without the site's `next`. */
export const withoutNext = ({ since, reached = since }: Position): Position => ({ since: reached });
