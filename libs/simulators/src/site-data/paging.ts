import type { Answer } from '../http/answer.ts';
import { failed, ok } from '../site/answers/envelope.ts';
import type { Rows } from './rows.ts';
import type { DataSwitches } from './switches.ts';

/** Which page of which list. */
export interface PageCall {
  readonly path: string;
  readonly query: URLSearchParams;
  /** `host:port` under which the site was called. */
  readonly host: string;
  readonly switches: DataSwitches;
}

const defaultSize = 25;

const wholeFrom = (text: string | null, least: number): number | undefined =>
  text !== null && /^\d{1,9}$/.test(text) && Number(text) >= least ? Number(text) : undefined;

const cursorMark = 'p=';

const cursorAt = (offset: number): string => Buffer.from(`${cursorMark}${offset}`).toString('base64url');

const offsetOfCursor = (cursor: string): number | undefined => {
  const text = Buffer.from(cursor, 'base64url').toString();
  return text.startsWith(cursorMark) ? wholeFrom(text.slice(cursorMark.length), 0) : undefined;
};

/** Where the page begins; undefined for what is none of a page, a cursor or an offset. */
const startOf = ({ query }: PageCall, size: number): number | undefined => {
  if (query.has('cursor')) return offsetOfCursor(query.get('cursor') ?? '');
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

const linkAt = (call: PageCall, offset: number, size: number): string => {
  const { paging } = call.switches;
  if (paging === 'offset') return linkTo(call, 'offset', String(offset));
  if (paging === 'cursor' && call.query.get('use_cursor') === 'true') return linkTo(call, 'cursor', cursorAt(offset));
  return linkTo(call, 'page', String(offset / size + 1));
};

/**
 * One page of a list, 25 rows unless `page_size` says otherwise: `{count, next, previous, results}`, without the count for who asked for
 * cursors. A page behind the last one, and a cursor that the site did not make, are 404.
 */
export const pageOfRows = <T>(rows: Rows<T>, call: PageCall): Answer => {
  const size = Math.min(wholeFrom(call.query.get('page_size'), 1) ?? defaultSize, call.switches.largest_page);
  const from = startOf(call, size);
  if (from === undefined || (from > 0 && from >= rows.length)) return failed(404, 'Invalid page.');
  const to = Math.min(rows.length, from + size);
  const results = Array.from({ length: Math.max(0, to - from) }, (_, index) => rows.at(from + index));
  const more = to < rows.length || call.switches.endless;
  const next = more ? linkAt(call, to < rows.length ? to : 0, size) : null;
  const previous = from > 0 ? linkAt(call, Math.max(0, from - size), size) : null;
  const counted = call.query.get('use_cursor') === 'true' ? {} : { count: rows.length };
  return ok({ ...counted, next, previous, results });
};

/** A list that a site gives whole, bare or as one page. */
export const wholeList = (rows: readonly unknown[], { lists }: DataSwitches): Answer =>
  ok(lists === 'bare' ? rows : { count: rows.length, next: null, previous: null, results: rows });
