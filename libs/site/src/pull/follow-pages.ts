import { RelayError } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import { queryOf, readPage } from '../wire/pages.ts';
import { unreadable } from '../wire/refusals.ts';
import type { Ask } from './ask.ts';
import { goodReply } from './payload.ts';
import type { SiteQuery } from './port.ts';

/** A list to follow to its end. */
export interface Following {
  /** Without parameters. */
  readonly url: string;
  readonly query: SiteQuery;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

const mostPages = 20_000;

/** What the next page is asked with: its own parameters, and those of ours that the site forgot to repeat. */
const searchFor = (query: SiteQuery, next: string, target: string): URLSearchParams => {
  const search = new URLSearchParams(queryOf(next, target));
  for (const [name, value] of Object.entries(query)) if (!search.has(name)) search.set(name, value);
  return search;
};

/**
 * A numbered page behind the last one: the list became shorter, and the site says so itself. Any other 404 may be a gateway's, and a cursor
 * that is gone ends nothing: the list has to be read anew.
 */
const isBehindTheEnd = (answer: HttpAnswer, search: URLSearchParams, first: boolean): boolean =>
  answer.status === 404 &&
  !first &&
  search.has('page') &&
  !search.has('cursor') &&
  /invalid page/i.test(answer.excerpt(500));

const cursorGone = (target: string): RelayError =>
  new RelayError('site_unavailable', { details: { target, reason: 'the site forgot the list half-way', tries: 1 } });

/**
 * Pages in order until the last, by cursor, page or offset as the site names the next one.
 * @throws RelayError `site_answer_unreadable` when they repeat themselves or do not end
 */
export async function* followPages(ask: Ask, { url, query, ...rest }: Following): AsyncGenerator<readonly unknown[]> {
  const seen = new Set<string>();
  let search = new URLSearchParams(query);
  for (;;) {
    const text = search.toString();
    const full = text === '' ? url : `${url}?${text}`;
    const answer = await ask({ url: full, ...rest });
    if (isBehindTheEnd(answer, search, seen.size === 0)) return;
    if (answer.status === 404 && seen.size > 0) throw cursorGone(answer.target);
    const page = readPage(goodReply(answer, full));
    seen.add(text);
    if (page.next !== null) search = searchFor(query, page.next, answer.target);
    if (page.next !== null && (seen.has(search.toString()) || seen.size >= mostPages))
      throw unreadable(answer.target, 'the pages of the list do not end');
    yield page.rows;
    if (page.next === null) return;
  }
}
