import { isObject } from '@ranger-relay/errors';
import { idOf, textOf } from './instant.ts';

/** Parameters of the list of groups: each with its subgroups inside it. */
export const groupQuery = { flat: 'false', include_hidden: 'true', isvisible: 'true' };

/** A group of subjects of the site. */
export interface Group {
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** Its own subjects, as the site writes them. */
  readonly subjects: readonly unknown[];
  readonly subgroups: readonly Group[];
}

const maxDepth = 50;

const listIn = (row: unknown, name: string): readonly unknown[] => {
  const list = isObject(row) ? row[name] : undefined;
  return Array.isArray(list) ? (list as unknown[]) : [];
};

/** Reads a row of the list of groups. */
export const readGroup = (row: unknown, depth = 0): Group => ({
  id: idOf(row),
  name: isObject(row) ? textOf(row['name']) : undefined,
  subjects: listIn(row, 'subjects'),
  subgroups: depth >= maxDepth ? [] : listIn(row, 'subgroups').map((child) => readGroup(child, depth + 1)),
});

/** A group and all groups inside it. */
export const withSubgroups = (group: Group): readonly Group[] => [group, ...group.subgroups.flatMap(withSubgroups)];
