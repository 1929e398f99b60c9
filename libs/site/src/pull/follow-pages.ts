import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import { queryOf, readPage } from '../wire/pages.ts';
import { unreadable } from '../wire/failure.ts';
import type { Ask } from './tries.ts';
import { goodReply } from './payload.ts';
import type { SitePage, SiteQuery } from './port.ts';

/** A page to read. */
export interface PageRequest {
  /** Path without parameters. */
  readonly url: string;
  readonly query: SiteQuery;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

const pagingNames = ['cursor', 'page', 'offset'] as const;

/** The parameters that lead to the next page. All others come from the original query, because some sites do not repeat them. */
const nextOf = (next: string, target: string): SiteQuery => {
  const search = new URLSearchParams(queryOf(next, target));
  const named = pagingNames.flatMap((name) => (search.has(name) ? [[name, search.get(name) ?? '']] : []));
  if (named.length === 0) throw unreadable(target, 'the next page has neither cursor, page nor offset');
  return Object.fromEntries(named) as SiteQuery;
};

/**
 * Whether a 404 means that a numbered page is past the end, because the list became shorter. The site's own message is required, because
 * another 404 may come from a gateway. An expired cursor does not end the list: the list must be read again.
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

/** Maps a missing later page to `site_unavailable`, because the list must be read again. */
const cursorGone = (error: unknown): never => {
  if (!isRelayError(error, 'site_not_found')) throw error;
  const reason = 'the site forgot the list half-way';
  throw new RelayError('site_unavailable', { details: { target: String(error.details['target']), reason, tries: 1 } });
};

/**
 * Reads pages in order up to the last, by cursor, page or offset, as the site links them.
 * @throws RelayError `site_answer_unreadable` when pages repeat or never end
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
