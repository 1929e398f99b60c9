import { isObject, numberText, RelayError } from '@ranger-relay/errors';
import { z } from 'zod';
import { unreadable } from '../client/failure.ts';
import { type Reply, send, type SiteClient } from '../client/client.ts';
import { asksForPage, followPages, noPage, type Page, readPage } from '../client/pages.ts';
import type { OnUnreadable, Progress } from '../port.ts';

const numberSchema = z.unknown().refine((value) => /^\d+$/.test(numberText(value)));

/** An id as text; some sites use numbers as ids. */
export const idText = z.union([z.string().min(1), numberSchema]).transform(numberText);

/** An optional text. */
export const looseText = z
  .string()
  .nullish()
  .transform((text) => text ?? '');

/** A flag that defaults to true. */
export const activeFlag = z
  .boolean()
  .nullish()
  .transform((flag) => flag ?? true);

const problemIn = ({ issues: [issue] }: z.ZodError): string =>
  `${issue?.path.map(String).join('.') || 'the whole'}: ${issue?.message ?? 'not as expected'}`;

/**
 * Parses a value with a schema; members that the schema does not name are ignored.
 * @throws RelayError `site_answer_unreadable` naming the member and never its value
 */
export const read = <T>(schema: z.ZodType<T>, value: unknown, target: string): T => {
  const { data, error } = schema.safeParse(value);
  if (!error) return data;
  throw unreadable(target, problemIn(error));
};

const rowSchema = z.looseObject({ id: idText });

const nameOf = (what: string, row: Readonly<Record<string, unknown>>): string => {
  const name = [row['name'], row['display'], row['value']].find((each) => typeof each === 'string' && each !== '');
  const id = idText.safeParse(row['id']).data;
  return `${what}${name === undefined ? '' : ` ${JSON.stringify(name)}`}${id === undefined ? '' : ` (${id})`}`;
};

/**
 * Parses the rows of a list one by one. Other programs and people store rows too, so a row that cannot be parsed is left out and reported.
 * @throws RelayError `site_answer_unreadable` when no row has an id
 */
export const readRows = <T extends object>(
  schema: z.ZodType<T>,
  { rows, target }: Rows,
  what: string,
  onUnreadable?: OnUnreadable,
): T[] => {
  if (rows.length > 0 && !rows.some((row) => rowSchema.safeParse(row).success)) read(rowSchema, rows[0], target);
  return rows.flatMap((row) => {
    const { data, error } = schema.safeParse(row);
    if (!error) return [data];
    const left = isObject(row) ? row : {};
    onUnreadable?.({ name: nameOf(what, left), problem: problemIn(error), row: left });
    return [];
  });
};

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

const idSchema = z.object({ id: idText });

/** Keeps rows without an id as separate rows; code that needs the id reports the error. */
const keyOf = (row: unknown, place: number): string => {
  const { data } = idSchema.safeParse(row);
  return data ? `id ${data.id}` : `row ${place}`;
};

const maxPages = 10_000;

const pagesOf = (client: SiteClient, { path, query, meansEmpty }: Listing): AsyncGenerator<Page<string>> =>
  followPages(async (next) => {
    const isFirst = next === undefined;
    const also = isFirst ? (meansEmpty ? [400] : []) : [404];
    const reply = await send(client, { method: 'GET', path, query: next ?? query }, also);
    // The list has become shorter than the earlier pages reported.
    if (reply.status === 404) return noPage(reply, null);
    if (!reply.ok && meansEmpty?.(reply)) return noPage(reply, 0);
    if (!reply.ok) throw reply.refusal();
    return readPage(reply, asksForPage(query));
  }, maxPages);

/** Adds the rows of one reading of the whole list to `found`. Returns true when the list has rows that are not there, or may have. */
const readOnce = async (
  client: SiteClient,
  listing: Listing,
  found: Map<string, unknown>,
): Promise<{ readonly isPartial: boolean; readonly target: string }> => {
  const keys = new Set<string>();
  let [pages, rows, count, target] = [0, 0, 0, ''];
  for await (const page of pagesOf(client, listing)) {
    for (const row of page.rows) {
      const key = keyOf(row, rows);
      rows += 1;
      keys.add(key);
      found.set(key, row);
    }
    [pages, count, target] = [pages + 1, Math.max(count, page.count ?? rows), page.target];
    listing.progress?.(found.size, page.count);
  }
  return { isPartial: pages > 1 && (keys.size < rows || keys.size < count) && found.size < count, target };
};

const maxReadings = 12;
/** After so many readings in a row without anything new, what seems to be missing came twice: some sites repeat a row on purpose. */
const maxQuiet = 3;

/** The listing of a later reading: rows of equal rank come in an order that is the same for an equal query, and another one for any other. */
const listingFor = (listing: Listing, reading: number): Listing => {
  const size = Number(listing.query['page_size']);
  return reading > 1 && size > maxReadings
    ? { ...listing, query: { ...listing.query, page_size: String(size - reading) } }
    : listing;
};

/**
 * Reads a list completely, paged or bare, each id once. If rows moved between the pages, reads it again, with pages of another size, until
 * it is complete (site contract, 1, paging).
 * @throws RelayError `site_unavailable` when it does not become complete
 */
export const readAll = async (client: SiteClient, listing: Listing): Promise<Rows> => {
  const found = new Map<string, unknown>();
  let quiet = 0;
  for (let reading = 1; ; reading += 1) {
    const before = found.size;
    const { isPartial, target } = await readOnce(client, listingFor(listing, reading), found);
    quiet = found.size > before ? 0 : quiet + 1;
    if (!isPartial || quiet >= maxQuiet) return { rows: [...found.values()], target };
    if (reading < maxReadings) continue;
    const reason = 'the rows of the list move while its pages are read';
    throw new RelayError('site_unavailable', { details: { target, reason, tries: maxReadings } });
  }
};
