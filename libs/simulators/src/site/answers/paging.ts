import { hash } from 'node:crypto';
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

/** Which page of which list. */
export interface PageCall {
  readonly path: string;
  readonly query: URLSearchParams;
  /** `host:port` under which the site was called. */
  readonly host: string;
  readonly switches: SiteSwitches;
}

const defaultSize = 25;
/** Larger pages are cut to this without a word. */
const maxSize = 4_000;

const wholeFrom = (text: string | null, least: number): number | undefined =>
  text !== null && /^\d{1,9}$/.test(text) && Number(text) >= least ? Number(text) : undefined;

/** Sort key of a row, then its id. */
export type Place = readonly [at: number, id: string];

/** Rows, their sort keys, and whether the order is descending. */
export interface Ordered<T> {
  readonly rows: Rows<T>;
  readonly placeOf: (row: T) => Place;
  readonly descending?: boolean;
  /** Whether pages have no largest size. */
  readonly unbounded?: boolean;
}

/** Index of the first row behind all rows of a key. */
const indexBehind = <T>({ rows, placeOf, descending = false }: Ordered<T>, key: number): number => {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const here = placeOf(rows.at(middle))[0];
    if (descending ? here >= key : here <= key) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Index of the first of the rows that have the key of one. */
const firstOfKey = <T>({ rows, placeOf }: Ordered<T>, index: number): number => {
  const [key] = placeOf(rows.at(index));
  let first = index;
  while (first > 0 && placeOf(rows.at(first - 1))[0] === key) first -= 1;
  return first;
};

const inSomeOrder = <T>(rows: readonly T[], idOf: (row: T) => string, seed: string): T[] =>
  rows
    .map((row) => ({ row, chance: hash('sha256', `${seed} ${idOf(row)}`) }))
    .sort((a, b) => (a.chance < b.chance ? -1 : a.chance > b.chance ? 1 : 0))
    .map(({ row }) => row);

/**
 * The list as one query sees it: the database sorts by the key alone, so rows of one key come in an order that is another one for each
 * query, and the same for an equal query.
 */
const asQueried = <T>(list: Ordered<T>, { path, query, switches }: PageCall): Ordered<T> => {
  if (switches.equal_keys === 'by_id') return list;
  const { rows, placeOf } = list;
  let shown: { readonly first: number; readonly rows: readonly T[] } = { first: 0, rows: [] };
  const at = (index: number): T => {
    if (index < shown.first || index >= shown.first + shown.rows.length) {
      const first = firstOfKey(list, index);
      const length = indexBehind(list, placeOf(rows.at(index))[0]) - first;
      const equal = Array.from({ length }, (_, n) => rows.at(first + n));
      shown = { first, rows: inSomeOrder(equal, (row) => placeOf(row)[1], `${path}?${query}`) };
    }
    return shown.rows[index - shown.first] as T;
  };
  return { ...list, rows: { length: rows.length, at } };
};

/** Cursors count further rows of one key no further than this, without a word. */
const maxCursorOffset = 1_000;

/** A cursor names the key before the page, null for the beginning, and how many rows behind that key come before the page. */
const cursorAt = <T>(list: Ordered<T>, index: number): string => {
  const { rows, placeOf } = list;
  const first = index < rows.length ? firstOfKey(list, index) : rows.length;
  const key = first > 0 ? placeOf(rows.at(first - 1))[0] : null;
  return Buffer.from(`p=${JSON.stringify(key)}&o=${index - first}`).toString('base64url');
};

const startOfCursor = <T>(list: Ordered<T>, cursor: string): number | undefined => {
  const [, key, offset] = /^p=(null|-?[\d.e+]+)&o=(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (key === undefined) return undefined;
  const first = key === 'null' ? 0 : indexBehind(list, Number(key));
  return first + Math.min(Number(offset), maxCursorOffset);
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

const linkAt = <T>(list: Ordered<T>, call: PageCall, index: number, size: number): string => {
  const { paging } = call.switches;
  if (paging === 'offset') return linkTo(call, 'offset', String(index));
  if (paging === 'page' || call.query.get('use_cursor') !== 'true')
    return linkTo(call, 'page', String(index / size + 1));
  return linkTo(call, 'cursor', cursorAt(list, index));
};

/**
 * One page of a list, 25 rows unless `page_size` says otherwise: `{count, next, previous, results}`, without the count for who asked for
 * cursors. A page behind the last one, and a cursor that the site did not make, are 404; one with the row that the site fails on is 500.
 */
export const pageOfRows = <T>(
  whole: Ordered<T>,
  call: PageCall,
  shown: (row: T) => unknown = (row) => row,
): SimulatedResponse => {
  const list = asQueried(whole, call);
  const { rows, placeOf, unbounded = false } = list;
  const asked = wholeFrom(call.query.get('page_size'), 1) ?? defaultSize;
  const size = unbounded ? asked : Math.min(asked, maxSize);
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
