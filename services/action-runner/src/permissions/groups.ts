import { idOf, isRow, textOf } from '../mapping/read.ts';
import { inOrder, sorted } from './section.ts';

const mostDepth = 50;

interface Group {
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** Names of its own subjects. */
  readonly subjects: readonly string[];
  readonly subgroups: readonly Group[];
}

const listIn = (row: unknown, name: string): readonly unknown[] => {
  const list = isRow(row) ? row[name] : undefined;
  return Array.isArray(list) ? (list as unknown[]) : [];
};

const readGroup = (row: unknown, depth = 0): Group => ({
  id: idOf(row),
  name: isRow(row) ? textOf(row['name']) : undefined,
  subjects: listIn(row, 'subjects').flatMap((subject) => (isRow(subject) ? (textOf(subject['name']) ?? []) : [])),
  subgroups: depth > mostDepth ? [] : listIn(row, 'subgroups').map((child) => readGroup(child, depth + 1)),
});

/** A group and all in it. */
const whole = (group: Group): readonly Group[] => [group, ...group.subgroups.flatMap(whole)];

const groupsIn = (rows: readonly unknown[]): readonly Group[] => rows.flatMap((row) => whole(readGroup(row)));

/** Groups with the names of their subjects, nested ones too; groups of one name are one. */
export const subjectGroups = (rows: readonly unknown[], withSubgroups: boolean): object => {
  const found = new Map<string, readonly string[]>();
  for (const group of groupsIn(rows)) {
    const name = group.name ?? group.id;
    if (name === undefined) continue;
    const own = (withSubgroups ? whole(group) : [group]).flatMap(({ subjects }) => subjects);
    found.set(name, sorted([...(found.get(name) ?? []), ...own]));
  }
  return inOrder(found);
};

/** Ids of all groups, nested ones too. */
export const groupIds = (rows: readonly unknown[]): readonly string[] =>
  sorted(groupsIn(rows).flatMap(({ id }) => id ?? []));
