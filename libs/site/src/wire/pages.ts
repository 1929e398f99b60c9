import { z } from 'zod';
import type { Progress } from '../port.ts';
import { unreadable } from './failure.ts';
import { idText } from './read.ts';
import { send } from './send.ts';
import type { Reply, SiteRequest, Wire } from './wire.ts';

/** A list to read completely. */
export interface Listing {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly progress?: Progress | undefined;
  /** Whether a refusal of the first page with 400 means an empty list. */
  readonly meansEmpty?: (reply: Reply) => boolean;
}

/** The rows of a list, each id once, unchanged. */
export interface Rows {
  readonly rows: readonly unknown[];
  readonly target: string;
}

/** One page of a list, or a complete list. */
export interface Page {
  readonly rows: readonly unknown[];
  readonly next: string | null;
  readonly count: number | null;
}

const pageSchema = z.looseObject({
  results: z.array(z.unknown()),
  next: z.string().nullish(),
  count: z.number().nullish(),
});
const bareSchema = z.array(z.unknown());

const maxPages = 10_000;

/** Parses a paged object or a bare array. @throws RelayError `site_answer_unreadable` */
export const readPage = (reply: Reply): Page => {
  const payload = reply.payload();
  const bare = bareSchema.safeParse(payload);
  if (bare.success) return { rows: bare.data, next: null, count: bare.data.length };
  const page = pageSchema.safeParse(payload);
  if (!page.success) throw unreadable(reply.target, 'neither a list nor a page of one');
  const { results, next, count } = page.data;
  return { rows: results, next: next || null, count: count ?? null };
};

/** Uses only the query of `next`: its scheme and host may be internal to the site's network. */
export const queryOf = (next: string, target: string): string => {
  const search = URL.parse(next, 'https://unused.invalid/')?.search;
  if (search) return search;
  throw unreadable(target, 'the next page has no address');
};

const idSchema = z.object({ id: idText });

/** Keeps rows without an id as separate rows; code that needs the id reports the error. */
const keyOf = (row: unknown, place: number): string => {
  const { data } = idSchema.safeParse(row);
  return data ? `id ${data.id}` : `row ${place}`;
};

/** Reads pages in order up to the last. @throws RelayError `site_answer_unreadable` when pages repeat or never end */
async function* pagesOf(wire: Wire, { path, query, meansEmpty }: Listing): AsyncGenerator<Page & { target: string }> {
  const seen = new Set<string>();
  let at: SiteRequest = { method: 'GET', path, query };
  let rows = 0;
  for (;;) {
    const first = seen.size === 0;
    const reply = await send(wire, at, first ? (meansEmpty ? [400] : []) : [404]);
    // The list has become shorter than the earlier pages reported.
    if (reply.status === 404) return yield { rows: [], next: null, count: null, target: reply.target };
    if (!reply.ok && meansEmpty?.(reply)) return yield { rows: [], next: null, count: 0, target: reply.target };
    if (!reply.ok) throw reply.refusal();
    const page = readPage(reply);
    yield { ...page, target: reply.target };
    if (page.next === null) return;
    rows += page.rows.length;
    const next = queryOf(page.next, reply.target);
    const tooMany = page.count !== null && rows > 2 * page.count + 10_000;
    if (seen.has(next) || seen.size >= maxPages || tooMany)
      throw unreadable(reply.target, 'the pages of the list do not end');
    seen.add(next);
    at = { method: 'GET', path, query: next };
  }
}

/** Reads the whole list once into `found`. Returns true when rows moved between the pages, so that some may be missing. */
const readOnce = async (wire: Wire, listing: Listing, found: Map<string, unknown>): Promise<[boolean, string]> => {
  const keys = new Set<string>();
  let [pages, rows, count, target] = [0, 0, 0, ''];
  for await (const page of pagesOf(wire, listing)) {
    for (const row of page.rows) {
      const key = keyOf(row, rows);
      rows += 1;
      keys.add(key);
      found.set(key, row);
    }
    [pages, count, target] = [pages + 1, Math.max(count, page.count ?? rows), page.target];
    listing.progress?.(found.size, page.count);
  }
  return [pages > 1 && (keys.size < rows || keys.size < count), target];
};

const maxReadings = 3;

/**
 * Reads a list completely, paged or bare, each id once. If rows moved during reading, reads the list again until nothing new appears, at
 * most three times (site contract, 1, paging).
 */
export const readAll = async (wire: Wire, listing: Listing): Promise<Rows> => {
  const found = new Map<string, unknown>();
  let target = '';
  for (let reading = 1; reading <= maxReadings; reading += 1) {
    const before = found.size;
    const [moved, from] = await readOnce(wire, listing, found);
    target = from;
    if (!moved || found.size === before) break;
  }
  return { rows: [...found.values()], target };
};
