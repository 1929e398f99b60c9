import { z } from 'zod';
import type { Reply } from './client.ts';
import { notForbidden, unreadable } from './failure.ts';

/** One page of a list, or a complete list. */
export interface Page<Next> {
  readonly rows: readonly unknown[];
  /** Leads to the next page; null on the last page. */
  readonly next: Next | null;
  /** Rows of the whole list; null when the site does not say. */
  readonly count: number | null;
  readonly target: string;
  /** The site's clock at the time of the response, ms since 1970; undefined when the response does not contain it. */
  readonly siteTime: number | undefined;
}

const pageSchema = z.looseObject({
  results: z.array(z.unknown()),
  next: z.string().nullish(),
  count: z.number().nullish(),
});
const bareSchema = z.array(z.unknown());

/** Uses only the query of `next`: its scheme and host may be internal to the site's network. */
const queryOf = (next: string, target: string): string => {
  const search = URL.parse(next, 'https://unused.invalid/')?.search;
  if (search) return search;
  throw unreadable(target, 'the next page has no address');
};

/** Whether the parameters of a list ask for a page, which is an object also when it has no rows. */
export const asksForPage = (query: Readonly<Record<string, string>>): boolean =>
  query['page_size'] !== undefined || query['use_cursor'] !== undefined;

/**
 * Parses a paged object or a bare array.
 * @param paged whether a page was asked for: a bare list without rows then means that the permission is missing
 * @throws RelayError `site_answer_unreadable`, `site_forbidden`
 */
export const readPage = ({ target, siteTime, payload }: Reply, paged: boolean): Page<string> => {
  const body = paged ? notForbidden(target, payload()) : payload();
  const bare = bareSchema.safeParse(body);
  if (bare.success) return { rows: bare.data, next: null, count: bare.data.length, target, siteTime };
  const page = pageSchema.safeParse(body);
  if (!page.success) throw unreadable(target, 'neither a list nor a page of one');
  const { results, next, count } = page.data;
  return { rows: results, next: next ? queryOf(next, target) : null, count: count ?? null, target, siteTime };
};

/** An empty last page. */
export const noPage = ({ target, siteTime }: Reply, count: number | null): Page<never> => ({
  rows: [],
  next: null,
  count,
  target,
  siteTime,
});

/**
 * Reads pages in order up to the last.
 * @param read reads one page; the first one without an argument
 * @throws RelayError `site_answer_unreadable` when pages lead back to each other or never end
 */
export async function* followPages<Next>(
  read: (next?: Next) => Promise<Page<Next>>,
  maxPages: number,
): AsyncGenerator<Page<Next>> {
  const seen = new Set<string>();
  let rows = 0;
  let page = await read();
  for (;;) {
    yield page;
    const { next, count, target } = page;
    if (next === null) return;
    rows += page.rows.length;
    const key = JSON.stringify(next);
    const tooMany = count !== null && rows > 2 * count + 10_000;
    if (seen.has(key) || seen.size >= maxPages || tooMany) throw unreadable(target, 'the pages of the list do not end');
    seen.add(key);
    page = await read(next);
  }
}
