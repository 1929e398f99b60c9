import { isDeepStrictEqual } from 'node:util';
import {
  type PlannedChange,
  type RecordedChange,
  recordedChangeSchema,
  type RunRecord,
  runRecordSchema,
} from '@ranger-relay/contracts';
import type { AreaName } from './bundles.ts';
import { areaIds } from './bundles.ts';
import type { WorldDisk } from './disk.ts';
import type { Cell, Table } from './person.ts';

type Row = { readonly id: string };
type Written = Exclude<PlannedChange | RecordedChange, { kind: 'roster' | 'universal_patrol_fields' }>;

/** A value that a run replaced, and by which one. */
export interface CellWrite {
  readonly cell: Cell;
  readonly before: unknown;
  readonly written: unknown;
}

/** The run records on the disk, as somebody who knows their format reads them. */
export interface Records {
  /** Paths of the records of an area, or of all, oldest first; without those that a crash cut off before their run wrote anything. */
  paths(area?: AreaName): string[];
  /** The record at a path, if it can be read. */
  read(path: string): RunRecord | undefined;
  /** Whether a journal or record that survives a crash has the write of a row as it is. */
  hasWritten(table: Table, row: Row, isNew: boolean): boolean;
  /** Paths of the reports of undos. */
  reports(): string[];
  /** The writes of a row in journals and records. */
  about(table: Table, row: Row): RecordedChange[];
  /** Whether a journal or record says that a write replaced this value. */
  hasReplaced(table: Table, row: Row, cell: Cell, before: unknown): boolean;
  /** Whether a record has this write, and does not say that it was undone. */
  isToUndo(table: Table, row: Row, write: CellWrite): boolean;
}

const kinds = { types: 'patrol_type', choices: 'choice', subjects: 'subject' } as const;

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** The uuid of the employee of a subject, in one spelling; '' without one. */
export const memberIn = (additional: Readonly<Record<string, unknown>>): string =>
  String(additional['ext_member_id'] ?? '').replaceAll('-', '');

/** Whether a change of a plan or a record is about a row. */
export const isAbout = (change: PlannedChange | RecordedChange, table: Table, row: Row): change is Written => {
  if (change.kind !== kinds[table]) return false;
  if ('id' in change && change.id === row.id) return true;
  if (change.kind === 'subject')
    return change.member !== null && change.member === memberIn(membersOf(Reflect.get(row, 'additional')));
  return (
    change.value === Reflect.get(row, 'value') &&
    (change.kind !== 'choice' || change.field === Reflect.get(row, 'field'))
  );
};

/** The value that a change has for a cell. */
export const valueIn = (
  change: PlannedChange | RecordedChange,
  side: 'before' | 'written',
  { member, key }: Cell,
): unknown => {
  const value = membersOf(Reflect.get(change, side))[member];
  return key === null ? value : membersOf(value)[key];
};

const parse = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
};

interface NumberedChange {
  readonly number: unknown;
  readonly change: RecordedChange;
}

/** The writes that the lines of a journal announce. */
const changesIn = (content: string): NumberedChange[] =>
  content.split('\n').flatMap((text) => {
    const line = membersOf(parse(text));
    const { data: change } = recordedChangeSchema.safeParse(line['change']);
    return change ? [{ number: line['intent'], change }] : [];
  });

const isWrite = ({ written }: Written, row: Row): boolean =>
  Object.entries(written).every(
    ([member, value]) => member === 'ordernum' || isDeepStrictEqual(Reflect.get(row, member), value),
  );

const isRunRecord = (path: string): boolean => /-run-\d+T\d+Z\.json$/.test(path);

/** Reads the records in these folders. */
export const createRecords = (disk: WorldDisk, folders: readonly string[]): Records => {
  const files = (): string[] => folders.flatMap((folder) => disk.list(folder));
  const read = (path: string): RunRecord | undefined => runRecordSchema.safeParse(parse(disk.read(path))).data;
  const changes = (): RecordedChange[] =>
    files().flatMap((path) => {
      if (path.endsWith('.journal.jsonl')) return changesIn(disk.readSynced(path) ?? '').map(({ change }) => change);
      return isRunRecord(path) ? (runRecordSchema.safeParse(parse(disk.readSynced(path))).data?.changes ?? []) : [];
    });
  const paths = (area?: AreaName): string[] =>
    files()
      .filter(isRunRecord)
      .filter((path) => {
        const uuid = read(path)?.conservation_area.uuid;
        return area === undefined ? uuid !== undefined : uuid === areaIds[area];
      })
      .toSorted((a, b) => ((a.split('/').at(-1) ?? '') < (b.split('/').at(-1) ?? '') ? -1 : 1));
  return {
    paths,
    reports: () => files().filter((path) => /-undo-\d+T\d+Z\.json$/.test(path)),
    read,
    about: (table, row) => changes().filter((change) => isAbout(change, table, row)),
    hasWritten: (table, row, isNew) =>
      changes().some(
        (change) => isAbout(change, table, row) && (change.action === 'created') === isNew && isWrite(change, row),
      ),
    hasReplaced: (table, row, cell, before) =>
      changes().some(
        (change) =>
          isAbout(change, table, row) &&
          change.action === 'updated' &&
          isDeepStrictEqual(valueIn(change, 'before', cell), before),
      ),
    isToUndo: (table, row, { cell, before, written }) =>
      paths().some((path) => {
        const record = read(path);
        const marked = new Set<unknown>(record?.undone?.entries);
        const journal = disk.read(path.replace(/\.json$/, '.journal.jsonl'));
        const listed = record?.changes.map((change, number) => ({ number, change })) ?? [];
        return (journal === undefined ? listed : changesIn(journal)).some(
          ({ number, change }) =>
            !marked.has(number) &&
            isAbout(change, table, row) &&
            isDeepStrictEqual(valueIn(change, 'before', cell), before) &&
            isDeepStrictEqual(valueIn(change, 'written', cell), written),
        );
      }),
  };
};
