import { isRelayError } from '@ranger-relay/errors';
import type { SiteReader } from '@ranger-relay/site';
import { isRow, textOf } from '../mapping/read.ts';

/** A kind of events, or a category of them. */
export interface Named {
  readonly slug: string;
  readonly display: string;
}

/** A type with its category. */
export interface EventTypeFacts extends Named {
  readonly category: Named | undefined;
}

const namedOf = (row: unknown): Named | undefined => {
  const slug = isRow(row) ? textOf(row['value']) : textOf(row);
  return slug === undefined ? undefined : { slug, display: (isRow(row) && textOf(row['display'])) || slug };
};

const listOf = async (reader: Pick<SiteReader, 'pages'>, path: string): Promise<readonly unknown[]> => {
  const rows: unknown[] = [];
  for await (const page of reader.pages(path)) rows.push(...page);
  return rows;
};

/** Sites without one of the kinds do not know its address. */
const orNone = async (list: Promise<readonly unknown[]>): Promise<readonly unknown[] | undefined> => {
  try {
    return await list;
  } catch (error) {
    if (isRelayError(error, 'site_not_found')) return undefined;
    throw error;
  }
};

const typeOf = (row: unknown): readonly EventTypeFacts[] => {
  const type = namedOf(row);
  return type ? [{ ...type, category: namedOf(isRow(row) ? row['category'] : undefined) }] : [];
};

/** Event types of the old and of the new kind. @throws RelayError of the site, also when it knows neither */
export const readEventTypes = async (reader: Pick<SiteReader, 'pages'>): Promise<readonly EventTypeFacts[]> => {
  const old = listOf(reader, 'activity/events/eventtypes');
  const [oldRows, newRows] = await Promise.all([orNone(old), orNone(listOf(reader, '/api/v2.0/activity/eventtypes'))]);
  if (!oldRows && !newRows) await old;
  return [...(oldRows ?? []), ...(newRows ?? [])].flatMap(typeOf);
};

/** Categories that the site lists, with or without types. @throws RelayError of the site */
export const readCategories = async (reader: Pick<SiteReader, 'pages'>): Promise<readonly Named[]> => {
  const rows = await orNone(listOf(reader, 'activity/events/categories'));
  return (rows ?? []).flatMap((row) => namedOf(row) ?? []);
};
