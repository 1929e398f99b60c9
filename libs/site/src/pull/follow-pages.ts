import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import { queryOf, readPage } from '../wire/pages.ts';
import { unreadable } from '../wire/failure.ts';
import type { Ask } from './tries.ts';
import { goodReply } from './payload.ts';
import type { SitePage, SiteQuery } from './port.ts';

/** A page to read. */
export interface PageRequest {
  /** Without parameters. */
  readonly url: string;
  readonly query: SiteQuery;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

const pagingNames = ['cursor', 'page', 'offset'] as const;

/** What leads to the next page; the other parameters of its address are ours, which some sites forget to repeat. */
const nextOf = (next: string, target: string): SiteQuery => {
  const search = new URLSearchParams(queryOf(next, target));
  const named = pagingNames.flatMap((name) => (search.has(name) ? [[name, search.get(name) ?? '']] : []));
  if (named.length === 0) throw unreadable(target, 'the next page has neither cursor, page nor offset');
  return Object.fromEntries(named) as SiteQuery;
};

/**
 * A numbered page behind the last one: the list became shorter, and the site says so itself. Any other 404 may be a gateway's, and a cursor
 * that is gone ends nothing: the list has to be read anew.
 */
const isBehindTheEnd = (answer: HttpAnswer, { page, cursor }: SiteQuery): boolean =>
  answer.status === 404 && Number(page) > 1 && cursor === undefined && /invalid page/i.test(answer.excerpt(500));

const timeOf = ({ headers }: HttpAnswer): number | undefined => {
  const ms = Date.parse(headers['date'] ?? '');
  return Number.isNaN(ms) ? undefined : ms;
};

/** Reads one page of a list. @throws RelayError of the site */
export const readSitePage = async (ask: Ask, { url, query, ...rest }: PageRequest): Promise<SitePage> => {
  const text = new URLSearchParams(query).toString();
  const full = text === '' ? url : `${url}?${text}`;
  const answer = await ask({ url: full, ...rest });
  if (isBehindTheEnd(answer, query)) return { rows: [], next: null, siteTime: timeOf(answer) };
  const { rows, next } = readPage(goodReply(answer, full));
  return { rows, next: next === null ? null : nextOf(next, answer.target), siteTime: timeOf(answer) };
};

const maxPages = 20_000;

/** A list that was begun and whose next page is not there has to be read anew. */
const cursorGone = (error: unknown): never => {
  if (!isRelayError(error, 'site_not_found')) throw error;
  const reason = 'the site forgot the list half-way';
  throw new RelayError('site_unavailable', { details: { target: String(error.details['target']), reason, tries: 1 } });
};

/**
 * Pages in order until the last, by cursor, page or offset as the site names the next one.
 * @throws RelayError `site_answer_unreadable` when they repeat themselves or do not end
 */
export async function* followPages(ask: Ask, request: PageRequest): AsyncGenerator<readonly unknown[]> {
  const seen = new Set<string>();
  let page = await readSitePage(ask, request);
  for (;;) {
    yield page.rows;
    if (page.next === null) return;
    const text = JSON.stringify(page.next);
    if (seen.has(text) || seen.size >= maxPages)
      throw unreadable(`GET ${new URL(request.url).host}`, 'the pages of the list do not end');
    seen.add(text);
    page = await readSitePage(ask, { ...request, query: { ...request.query, ...page.next } }).catch(cursorGone);
  }
}
