import type { SiteQuery } from '@ranger-relay/site';
import { z } from 'zod';

/** An instant as it is kept: ISO 8601 in the store, ms since 1970 here. */
export const instant = z.codec(z.iso.datetime({ offset: true }), z.number(), {
  decode: (text) => Date.parse(text),
  encode: (ms) => new Date(ms).toISOString(),
});

export const positionSchema = z.object({
  since: instant,
  next: z.record(z.string(), z.string()).optional(),
  reached: instant.optional(),
});

/** Where the reading of an ascending list stands. */
export interface Position {
  /** Lower bound of the list, ms since 1970. */
  readonly since: number;
  /** Parameters that the site gave for the next page of that list; none: its first page. */
  readonly next?: SiteQuery | undefined;
  /** Up to where rows were read, ms since 1970: a bound to begin at again when the site knows `next` no more. */
  readonly reached?: number | undefined;
}

/** What decides over the way on from a page. */
export interface SortedPage {
  /** What each row is sorted by, ms since 1970; undefined where that cannot be read. */
  readonly keys: readonly (number | undefined)[];
  readonly next: SiteQuery | null;
}

/** Some sites leave out the bound itself, and all cut what is finer than a millisecond; a row that comes twice is dropped later. */
const marginMs = 1;

/** A lower bound as it is sent. */
export const lowerBound = (ms: number): string => new Date(ms - marginMs).toISOString();

/** Whether rows ascend, as far as they can be read. */
export const ascends = (keys: SortedPage['keys']): boolean => {
  const known = keys.filter((key) => key !== undefined);
  return known.every((key, index) => index === 0 || key >= (known[index - 1] ?? key));
};

/**
 * Where reading goes on behind a page; undefined when it was the last one. Numbered pages shift when rows come or go before them, so the
 * list is asked for anew from the last row of the page. A page of one instant shows no order, and may be one of several: its `next` is
 * followed. A cursor holds its place and is followed too.
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

/** The same place without the site's help. */
export const withoutNext = ({ since, reached = since }: Position): Position => ({ since: reached });
