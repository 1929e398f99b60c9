import type { SimulatedResponse } from '../../http/answer.ts';
import type { SiteSwitches } from '../switches.ts';
import { failed, ok } from './envelope.ts';

/** Rows that need not exist before they are looked at. */
export interface Rows<T> {
  readonly length: number;
  /** @param index 0 to length - 1 */
  at(index: number): T;
}

/** The rows of an array. */
export const rowsOf = <T>(list: readonly T[]): Rows<T> => ({
  length: list.length,
  at: (index) => list[index] as T,
});

/** From the last to the first. */
export const reversed = <T>({ length, at }: Rows<T>): Rows<T> => ({ length, at: (index) => at(length - 1 - index) });

/** Which page of which list. */
export interface PageCall {
  readonly path: string;
  readonly query: URLSearchParams;
  /** `host:port` under which the site was called. */
  readonly host: string;
  readonly switches: SiteSwitches;
}

const defaultSize = 25;

const wholeFrom = (text: string | null, least: number): number | undefined =>
  text !== null && /^\d{1,9}$/.test(text) && Number(text) >= least ? Number(text) : undefined;

/** Position of a row in its list: its sort key, then its id. */
export type Place = readonly [at: number, id: string];

/** Rows, their positions, and whether the order is descending. */
export interface Ordered<T> {
  readonly rows: Rows<T>;
  readonly placeOf: (row: T) => Place;
  readonly descending?: boolean;
  /** Whether pages have no largest size. */
  readonly unbounded?: boolean;
}

const cursorMark = 'after=';

/** A cursor names the row before the page, so that rows which come or go elsewhere do not move it; none is the beginning. */
const cursorBehind = (place: Place | undefined): string =>
  Buffer.from(`${cursorMark}${JSON.stringify(place ?? null)}`).toString('base64url');

const isPlace = (value: unknown): value is Place =>
  Array.isArray(value) && value.length === 2 && typeof value[0] === 'number' && typeof value[1] === 'string';

const before = ([at, id]: Place, [otherAt, otherId]: Place): boolean =>
  at < otherAt || (at === otherAt && id <= otherId);

/** Index of the first row behind a place. */
const indexBehind = <T>({ rows, placeOf, descending = false }: Ordered<T>, place: Place): number => {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const here = placeOf(rows.at(middle));
    if (descending ? before(place, here) : before(here, place)) low = middle + 1;
    else high = middle;
  }
  return low;
};

const startOfCursor = <T>(list: Ordered<T>, cursor: string): number | undefined => {
  const text = Buffer.from(cursor, 'base64url').toString();
  if (!text.startsWith(cursorMark)) return undefined;
  try {
    const place: unknown = JSON.parse(text.slice(cursorMark.length));
    if (place === null) return 0;
    return isPlace(place) ? indexBehind(list, place) : undefined;
  } catch {
    return undefined;
  }
};

/** Where the page begins; undefined for what is none of a page, a cursor or an offset. */
const startOf = <T>(list: Ordered<T>, { query }: PageCall, size: number): number | undefined => {
  if (query.has('cursor')) return startOfCursor(list, query.get('cursor') ?? '');
  if (query.has('offset')) return wholeFrom(query.get('offset'), 0);
  const page = query.has('page') ? wholeFrom(query.get('page'), 1) : 1;
  return page === undefined ? undefined : (page - 1) * size;
};

const linkTo = ({ path, query, host, switches }: PageCall, name: string, value: string): string => {
  const next = new URLSearchParams(query);
  for (const other of ['cursor', 'page', 'offset']) next.delete(other);
  next.set(name, value);
  if (switches.next_link === 'query_only') return `?${name}=${encodeURIComponent(value)}`;
  if (switches.next_link === 'http') return `http://${host.replace(/:\d+$/, '')}${path}?${next}`;
  return `${switches.next_link === 'other_host' ? 'http://backend.internal:8000' : `http://${host}`}${path}?${next}`;
};

const linkAt = <T>({ rows, placeOf }: Ordered<T>, call: PageCall, index: number, size: number): string => {
  const { paging } = call.switches;
  if (paging === 'offset') return linkTo(call, 'offset', String(index));
  if (paging === 'page' || call.query.get('use_cursor') !== 'true')
    return linkTo(call, 'page', String(index / size + 1));
  return linkTo(call, 'cursor', cursorBehind(index > 0 ? placeOf(rows.at(index - 1)) : undefined));
};

/**
 * One page of a list, 25 rows unless `page_size` says otherwise: `{count, next, previous, results}`, without the count for who asked for
 * cursors. A page behind the last one, and a cursor that the site did not make, are 404; one with the row that the site fails on is 500.
 */
export const pageOfRows = <T>(
  list: Ordered<T>,
  call: PageCall,
  shown: (row: T) => unknown = (row) => row,
): SimulatedResponse => {
  const { rows, placeOf, unbounded = false } = list;
  const asked = wholeFrom(call.query.get('page_size'), 1) ?? defaultSize;
  const size = unbounded ? asked : Math.min(asked, call.switches.largest_page);
  const from = startOf(list, call, size);
  if (from === undefined || (from > 0 && from >= rows.length && !call.query.has('cursor')))
    return failed(404, 'Invalid page.');
  const to = Math.min(rows.length, from + size);
  const page = Array.from({ length: Math.max(0, to - from) }, (_, index) => rows.at(from + index));
  const { failing_row: failing } = call.switches;
  if (failing && page.some((row) => placeOf(row)[1] === failing)) return failed(500, 'Internal error.');
  const results = page.map((row) => shown(row));
  const more = to < rows.length || call.switches.endless;
  const next = more ? linkAt(list, call, to < rows.length ? to : 0, size) : null;
  const previous = from > 0 ? linkAt(list, call, Math.max(0, from - size), size) : null;
  const counted = call.query.get('use_cursor') === 'true' ? {} : { count: rows.length };
  return ok({ ...counted, next, previous, results });
};

/** A list that a site gives whole, bare or as one page. */
export const wholeList = (rows: readonly unknown[], { lists }: Pick<SiteSwitches, 'lists'>): SimulatedResponse =>
  ok(lists === 'bare' ? rows : { count: rows.length, next: null, previous: null, results: rows });
