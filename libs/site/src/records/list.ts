import { z } from 'zod';
import { numberText } from '../exact-json.ts';
import { isObject, unreadable } from '../client/failure.ts';
import { type Reply, send, type SiteClient } from '../client/client.ts';
import { followPages, noPage, type Page, readPage } from '../client/pages.ts';
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
    return readPage(reply);
  }, maxPages);

/** Reads the whole list once into `found`. Returns true when rows moved between the pages, so that some may be missing. */
const readOnce = async (
  client: SiteClient,
  listing: Listing,
  found: Map<string, unknown>,
): Promise<[boolean, string]> => {
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
  return [pages > 1 && (keys.size < rows || keys.size < count), target];
};

const maxReadings = 3;

/**
 * Reads a list completely, paged or bare, each id once. If rows moved during reading, reads the list again until nothing new appears, at
 * most three times (site contract, 1, paging).
 */
export const readAll = async (client: SiteClient, listing: Listing): Promise<Rows> => {
  const found = new Map<string, unknown>();
  let target = '';
  for (let reading = 1; reading <= maxReadings; reading += 1) {
    const before = found.size;
    const [moved, from] = await readOnce(client, listing, found);
    target = from;
    if (!moved || found.size === before) break;
  }
  return { rows: [...found.values()], target };
};
