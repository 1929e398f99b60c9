import type { SimulatedResponse } from '../../http/answer.ts';
import type { SiteSwitches } from '../switches.ts';
import { failed, ok } from './envelope.ts';

/** Which page of which list. */
export interface PageRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  /** `host:port` under which the site was called. */
  readonly host: string;
  readonly nextLink: SiteSwitches['next_link'];
  /** Larger pages are cut to this without a word; none for lists without a maximum. */
  readonly most?: number;
}

const defaultSize = 25;

/** Most rows of a page for lists that have a maximum. */
export const largestPage = 4_000;

const wholeAbove0 = (text: string | null): number | undefined =>
  text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;

const originOf = ({ host, nextLink }: PageRequest): string => {
  if (nextLink === 'http') return `http://${host.replace(/:\d+$/, '')}`;
  return nextLink === 'other_host' ? 'http://backend.internal:8000' : `http://${host}`;
};

const linkTo = (request: PageRequest, page: number): string => {
  const query = new URLSearchParams(request.query);
  query.set('page', String(page));
  return `${originOf(request)}${request.path}?${query.toString()}`;
};

/**
 * One page of a list: `{count, next, previous, results}` with absolute links (site contract, section 1). 25 rows unless `page_size` says
 * otherwise; a page behind the last one is 404.
 */
export const paged = <T>(rows: readonly T[], request: PageRequest, show: (row: T) => unknown): SimulatedResponse => {
  const size = Math.min(wholeAbove0(request.query.get('page_size')) ?? defaultSize, request.most ?? Infinity);
  const last = Math.max(1, Math.ceil(rows.length / size));
  const page = request.query.has('page') ? wholeAbove0(request.query.get('page')) : 1;
  if (page === undefined || page > last) return failed(404);
  return ok({
    count: rows.length,
    next: page < last ? linkTo(request, page + 1) : null,
    previous: page > 1 ? linkTo(request, page - 1) : null,
    results: rows.slice((page - 1) * size, page * size).map(show),
  });
};
