import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { Reply } from '../client/client.ts';
import { unreadable } from '../client/failure.ts';
import { asksForPage, followPages, noPage, type Page, readPage } from '../client/pages.ts';
import type { SiteQuery } from './port.ts';

/** Requests a page of a list by its parameters. */
export type AskPage = (query: SiteQuery) => Promise<Reply>;

const pagingNames = ['cursor', 'page', 'offset'] as const;

/** The parameters that lead to the next page. All others come from the original query, because some sites do not repeat them. */
const nextOf = (next: string, target: string): SiteQuery => {
  const search = new URLSearchParams(next);
  const named = pagingNames.flatMap((name) => (search.has(name) ? [[name, search.get(name) ?? '']] : []));
  if (named.length === 0) throw unreadable(target, 'the next page has neither cursor, page nor offset');
  return Object.fromEntries(named) as SiteQuery;
};

/**
 * Whether a 404 means that a numbered page is past the end, because the list became shorter. The site's own message is required, because
 * another 404 may come from a gateway. An expired cursor does not end the list: the list must be read again.
 */
const isBehindTheEnd = (reply: Reply, { page, cursor }: SiteQuery): boolean =>
  reply.status === 404 && Number(page) > 1 && cursor === undefined && reply.says('invalid page');

/** Parses a response. A body that is no JSON was truncated, or comes from an intermediary: the site's own responses parse. */
export const payloadOf = (reply: Reply): unknown => {
  if (!reply.ok) throw reply.refusal();
  try {
    return reply.payload();
  } catch {
    const details = { target: reply.target, reason: 'the answer is no JSON', tries: 1 };
    throw new RelayError('site_unavailable', { details });
  }
};

/** Reads one page of a list. @throws RelayError of the site */
export const readSitePage = async (ask: AskPage, query: SiteQuery): Promise<Page<SiteQuery>> => {
  const reply = await ask(query);
  if (isBehindTheEnd(reply, query)) return noPage(reply, null);
  const payload = payloadOf(reply);
  const page = readPage({ ...reply, payload: () => payload }, asksForPage(query));
  return { ...page, count: null, next: page.next === null ? null : nextOf(page.next, page.target) };
};

const maxPages = 20_000;

/** Maps a missing later page to `site_unavailable`, because the list must be read again. */
const cursorGone = (error: unknown): never => {
  if (!isRelayError(error, 'site_not_found')) throw error;
  const reason = 'the list expired at the site before its end';
  throw new RelayError('site_unavailable', { details: { target: String(error.details['target']), reason, tries: 1 } });
};

/** Reads the rows of a list page by page, by cursor, page or offset, as the site links them. @throws RelayError as {@link followPages} */
export async function* followSitePages(ask: AskPage, query: SiteQuery): AsyncGenerator<readonly unknown[]> {
  const read = (next?: SiteQuery): Promise<Page<SiteQuery>> =>
    next === undefined ? readSitePage(ask, query) : readSitePage(ask, { ...query, ...next }).catch(cursorGone);
  for await (const { rows } of followPages(read, maxPages)) yield rows;
}
