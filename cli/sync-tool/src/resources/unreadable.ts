import { firstNames } from './resource.ts';
import type { UnreadableRow } from '@ranger-relay/site';
import { bareUuid } from './choice.ts';

// Lookahead, so that a uuid after other hexadecimal characters is found too.
const uuids = /(?=([0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}))/gi;

/** The employees that unreadable rows may stand for: every uuid in a row, without dashes and in lower case. */
export const membersIn = (rows: readonly UnreadableRow[]): ReadonlyMap<string, UnreadableRow> => {
  const found = new Map<string, UnreadableRow>();
  for (const row of rows)
    for (const [, uuid = ''] of JSON.stringify(row.row).matchAll(uuids)) found.set(bareUuid(uuid), row);
  return found;
};

/** The unreadable row that has this value, if any. */
export const rowWithValue = (
  rows: readonly UnreadableRow[],
  isSame: (value: string) => boolean,
): UnreadableRow | undefined => rows.find(({ row: { value } }) => typeof value === 'string' && isSame(value));

/** Says that an object is not created because an unreadable row may be the same object. */
export const heldBackBy = (object: string, { name, problem }: UnreadableRow): string =>
  `${object} is not created: the site's ${name} stands for it and cannot be read (${problem})`;

/** One sentence on rows that a run leaves as they are; none without rows. */
export const describeUnreadable = (rows: readonly UnreadableRow[]): string[] => {
  if (rows.length === 0) return [];
  const named = rows.map(({ name, problem }) => `${name}: ${problem}`);
  return [`Rows of the site that cannot be read are left as they are: ${firstNames(named, named.length, '; ')}`];
};
