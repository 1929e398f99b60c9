import { RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import type { SitePage } from '@ranger-relay/site';
import { z } from 'zod';

/** An instant: ISO 8601 in the store, ms since 1970 in memory. */
export const instant = z.codec(z.iso.datetime({ offset: true }), z.number(), {
  decode: (text) => Date.parse(text),
  encode: (ms) => new Date(ms).toISOString(),
});

/** A second, ms: what a list is read by. */
export const secondMs = 1_000;

/** The second that an instant lies in, ms since 1970. */
export const startOfSecond = (ms: number): number => Math.floor(ms / secondMs) * secondMs;

/** Some sites exclude the bound itself, and all truncate to milliseconds; repeated rows are dropped later. */
const marginMs = 1;

/** Formats a lower bound for a request. */
export const lowerBound = (ms: number): string => new Date(ms - marginMs).toISOString();

/** Some sites require an upper bound; no row has a later time. */
export const noEndMs = Date.UTC(2100, 0, 1);

/** Formats an upper bound for a request; Infinity for no end. */
export const upperBound = (ms: number): string => new Date(Number.isFinite(ms) ? ms : noEndMs).toISOString();

/**
 * Parameters of a page of a list from `since` to `to`, ms since 1970. A second is requested whole: the most rows that a site returns at
 * once, by number, because a cursor ends after about a thousand rows of one time.
 */
export const pageParameters = (since: number, to: number): Readonly<Record<string, string>> =>
  to - since <= secondMs ? { page_size: '4000' } : { page_size: '100', use_cursor: 'true' };

/** A part of a list. */
export interface Part {
  readonly rows: readonly unknown[];
  /** All rows before then were read, ms since 1970; undefined when the site does not return the rows in ascending order. */
  readonly through: number | undefined;
  /** The second of which rows are missing, because it has more than the site returns at once; ms since 1970. */
  readonly cutAt?: number | undefined;
  /** The site's clock, ms since 1970. */
  readonly siteTime: number | undefined;
  /** Local time when the site told its own. */
  readonly now: number;
}

/** How to read a list. */
export interface ListReader {
  /** Requests the rows from `since` to `to`, ms since 1970. */
  readonly page: (since: number, to: number) => Promise<SitePage>;
  /** The time that the list is sorted by, ms since 1970; undefined when it is unreadable. */
  readonly keyOf: (row: unknown) => number | undefined;
  /** False for a list without an order: a page of it that is not the last says nothing. */
  readonly sorted?: boolean;
  /** Path of the list, for errors. */
  readonly path: string;
  readonly clock: Pick<Clock, 'now'>;
}

const ascends = (keys: readonly number[]): boolean => keys.every((key, index) => key >= (keys[index - 1] ?? key));

/** The rows of a page that are due: those recorded from `since` on and before `end`, and those whose time is unreadable. */
const due = (list: ListReader, { rows }: SitePage, since: number, end: number): readonly unknown[] =>
  rows.filter((row) => {
    const key = list.keyOf(row);
    return key === undefined || (key >= since && key < end);
  });

const askPage = async (list: ListReader, since: number, to: number): Promise<SitePage & Pick<Part, 'now'>> => {
  const page = await list.page(since, to);
  const now = list.clock.now();
  if (page.next === null || page.rows.length > 0) return { ...page, now };
  const details = { target: `GET ${list.path}`, problem: 'a page without rows names a next one' };
  throw new RelayError('site_answer_unreadable', { details });
};

/** Reads a second from `since` on, whole. */
const readSecond = async (list: ListReader, since: number, to: number): Promise<Part> => {
  const through = Math.min(to, startOfSecond(since) + secondMs);
  const page = await askPage(list, since, through);
  const reached = page.next === null ? Infinity : Math.max(...page.rows.flatMap((row) => list.keyOf(row) ?? []));
  return {
    rows: due(list, page, since, through),
    through,
    cutAt: reached < through ? startOfSecond(since) : undefined,
    siteTime: page.siteTime,
    now: page.now,
  };
};

/**
 * Reads the next part of a list that ascends by time from `since`, at most to `to`. A site sorts rows by their time alone: those of one
 * time may come in another order on each page, so a page that is not the last counts only up to the second in which it ends, and nothing is
 * read by cursors or numbers of pages. The position of a reading is therefore an instant, and it always advances.
 * @throws RelayError `site_answer_unreadable` when the list has no end
 */
export const readPart = async (list: ListReader, since: number, to: number): Promise<Part> => {
  if (to - since <= secondMs) return readSecond(list, since, to);
  const page = await askPage(list, since, to);
  const part = { siteTime: page.siteTime, now: page.now };
  if (page.next === null) return { ...part, rows: due(list, page, since, Infinity), through: to };
  const keys = page.rows.flatMap((row) => list.keyOf(row) ?? []);
  const unordered = { ...part, rows: page.rows, through: undefined };
  if (list.sorted === false || !ascends(keys)) return unordered;
  const [first = since, through = since] = [keys[0], keys.at(-1)].map((key) => key && startOfSecond(key));
  if (through > since && first < through) return { ...part, rows: due(list, page, since, through), through };
  if (through <= since) return readSecond(list, since, to);
  // Rows of one second show no order: there are earlier ones when the site does not sort.
  const before = await askPage(list, since, through - 1);
  return due(list, before, since, through).length > 0 ? unordered : readSecond(list, through, to);
};
