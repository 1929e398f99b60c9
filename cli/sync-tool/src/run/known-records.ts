import { basename, dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { AreaNeeds, RecordedChange, RunRecord } from '@ranger-relay/contracts';
import { type RelayError, toRelayError } from '@ranger-relay/errors';
import { resourceOf } from '../resources/index.ts';
import type { Replaced } from '../resources/object.ts';
import { isPlanFolder, isRecordName } from './files.ts';
import { isImporterRecord, isUnfinished } from './importer-record.ts';
import { changesOf } from './journal.ts';
import type { Disk } from './machine.ts';
import { beganNothing, type LoadedRecord, readRecordValue, runRecordIn, withEntries } from './record.ts';

/** What another area relies on, according to its newest record that was not undone. */
export interface OtherArea {
  readonly uuid: string;
  /** Name and code of the area, as shown to people. */
  readonly title: string;
  readonly exportedAt: string;
  readonly needs: AreaNeeds;
}

/** What an area relies on since its last run, and when the bundle of that was exported. */
export type LastRun = Pick<OtherArea, 'needs' | 'exportedAt'>;

/** A run that did not finish. */
interface UnfinishedRun {
  /** Path of its record. */
  readonly path: string;
  /** SHA-256 of the manifest of its bundle. */
  readonly bundle: string;
  /** Whether it was stopped, rather than ended with a failure. */
  readonly isInterrupted: boolean;
}

/** The path of the record of a run that was stopped. */
export const interruptedRecord = ({ unfinished }: Pick<KnownRecords, 'unfinished'>): string | undefined =>
  unfinished?.isInterrupted ? unfinished.path : undefined;

/** What the records of a site say, among those stored with the records of this run. */
export interface KnownRecords {
  /** Subject ids by the uuid of their employee, as earlier runs of this area saw them. */
  readonly subjects: ReadonlyMap<string, string>;
  readonly others: readonly OtherArea[];
  /** According to the newest record of this area that was not undone. */
  readonly last: LastRun | undefined;
  /** What runs of any area have left on the site: values by name, by the key of their object. */
  readonly lastValues: ReadonlyMap<string, ReadonlyMap<string, LastValue>>;
  /** The newest record of this area, where its run did not finish and was not undone. */
  readonly unfinished: UnfinishedRun | undefined;
  /** Why records of the folder cannot be read: what they say of other areas is not known. */
  readonly unreadable: readonly RelayError[];
}

/** The value that runs left; null when they have written it and what they left is not known, because an answer was lost. */
export type LastValue = {
  readonly value: unknown;
  readonly area: Pick<OtherArea, 'uuid' | 'title'>;
  /** Whether an undo of the record went over the value, and left its entry, whole or in part. */
  readonly isUndone: boolean;
} | null;

const areaOf = ({ conservation_area: { uuid, id, name } }: RunRecord): Pick<OtherArea, 'uuid' | 'title'> => ({
  uuid,
  title: name === '' || name === id ? id : `${name} (${id})`,
});

/** A name that tells a value from the others of its object. */
export const valueName = ({ name, key }: Replaced): string => (key === null ? name : `${name}.${key}`);

/** How many records are read at most, newest first. */
const maxRecords = 100;

const namesIn = (disk: Disk, folder: string): Promise<string[]> => disk.readdir(folder).catch(() => []);

/**
 * Folders that may hold records. If the operator keeps one numbered folder per plan, these include the numbered folders of all other
 * objects.
 */
const foldersAround = async (disk: Disk, folder: string): Promise<readonly string[]> => {
  if (!isPlanFolder(basename(folder))) return [folder];
  const root = dirname(dirname(folder));
  const objects = (await namesIn(disk, root)).map((name) => join(root, name));
  const numbered = await Promise.all(
    objects.map(async (each) => (await namesIn(disk, each)).filter(isPlanFolder).map((name) => join(each, name))),
  );
  return numbered.flat();
};

const recordsAround = async (disk: Disk, folder: string): Promise<readonly string[]> => {
  const folders = await foldersAround(disk, resolve(folder));
  const found = await Promise.all(
    folders.map(async (each) => (await namesIn(disk, each)).filter(isRecordName).map((name) => join(each, name))),
  );
  // Record names contain the time, so they sort by time.
  return found
    .flat()
    .toSorted((a, b) => (basename(a) < basename(b) ? 1 : -1))
    .slice(0, maxRecords);
};

/** Subject ids in a record: subjects that existed when the run was planned, and subjects that the run created or changed. */
const idsIn = ({ needs }: RunRecord, changes: readonly RecordedChange[]): Map<string, string> => {
  const ids = new Map(Object.entries(needs.subjects).flatMap(([member, id]) => (id === null ? [] : [[member, id]])));
  for (const change of changes)
    if (change.kind === 'subject' && change.member !== null && change.id !== '') ids.set(change.member, change.id);
  return ids;
};

/** Collects what runs have left from their records, which come one by one, newest first. */
const collectLastValues = () => {
  const objects = new Map<string, Map<string, LastValue>>();
  const settled = new WeakSet<object>();
  const add = ({ record, entries }: LoadedRecord): void => {
    const { undone } = record;
    const area = areaOf(record);
    const taken = new Set(undone?.entries);
    for (const entry of entries.toReversed())
      for (const change of changesOf([entry])) {
        const isTakenBack = taken.has(entry.number);
        // What stood there before is of an earlier run, or somebody's.
        if (isTakenBack && change.action !== 'created') continue;
        const isKnown = entry.outcome?.outcome === 'done';
        const key = resourceOf(change).key(change);
        const values = objects.get(key) ?? new Map<string, LastValue>();
        objects.set(key, values);
        // A subject that is to be created has no id yet.
        if (change.kind === 'subject' && change.member !== null) objects.set(`subject ${change.member}`, values);
        for (const each of resourceOf(change).values(change)) {
          const name = valueName(each);
          const newer = values.get(name);
          // The form is written whole: a value that a run only carries along stays that of the area that gave it.
          const value = isTakenBack && name === 'is_active' ? false : each.written;
          const isCarried = newer && !settled.has(newer) && isKnown && isDeepStrictEqual(newer.value, value);
          if (newer === undefined || isCarried)
            values.set(name, isKnown ? { value, area, isUndone: undone !== undefined } : null);
          else if (newer) settled.add(newer);
        }
      }
  };
  return { objects, add };
};

/** What an area relies on, a text each, without the ids of the site. */
const textsOf = ({ patrol_types, choices, fields, subjects, unused }: AreaNeeds): ReadonlySet<string> => {
  const lists = { patrol_types, ...choices, unused_types: unused.patrol_types, unused_fields: unused.fields };
  const named = Object.entries({ ...lists, subjects: Object.keys(subjects) });
  const values = named.flatMap(([list, each]) => each.map((value) => JSON.stringify([list, value])));
  return new Set([...values, ...Object.entries(fields).map((field) => JSON.stringify(field))]);
};

/** Whether the records tell other areas what this one relies on: undoing another area takes away what no record names. */
export const areNeedsRecorded = ({ last }: Pick<KnownRecords, 'last'>, wanted: AreaNeeds): boolean =>
  last !== undefined && isDeepStrictEqual(textsOf(last.needs), textsOf(wanted));

/** Reads a record of a site; undefined for one of another site or of the importer. @throws RelayError `record_invalid` */
const loadOfSite = async (disk: Disk, path: string, site: string): Promise<LoadedRecord | undefined> => {
  const value = await readRecordValue(disk, path);
  if (isImporterRecord(value)) return undefined;
  const record = runRecordIn(path, value);
  return record.site === site ? withEntries(disk, path, record) : undefined;
};

const unfinishedRun = (path: string, record: RunRecord): UnfinishedRun | undefined =>
  isUnfinished(record)
    ? { path, bundle: record.bundle.sha256, isInterrupted: record.status === 'interrupted' }
    : undefined;

/**
 * Reads the records of a site in a folder, for all areas.
 * @param area uuid of the area that the run is about
 * @param leaving paths of records that are being undone; other areas do not rely on anything in them
 */
export const readKnownRecords = async (
  disk: Disk,
  folder: string,
  site: string,
  area: string,
  leaving: ReadonlySet<string> = new Set(),
): Promise<KnownRecords> => {
  const subjects = new Map<string, string>();
  const others = new Map<string, OtherArea>();
  const lastValues = collectLastValues();
  const unreadable: RelayError[] = [];
  let last: LastRun | undefined;
  let newest: { readonly path: string; readonly record: RunRecord } | undefined;
  for (const path of await recordsAround(disk, folder)) {
    const loaded = await loadOfSite(disk, path, site).catch(async (error: unknown) => {
      if (!(await beganNothing(disk, path))) unreadable.push(toRelayError(error));
    });
    if (!loaded) continue;
    const { record, entries } = loaded;
    const { uuid, title } = areaOf(record);
    const changes = changesOf(entries);
    lastValues.add(loaded);
    if (uuid === area) {
      newest ??= { path, record };
      if (!record.undone) last ??= { needs: record.needs, exportedAt: record.bundle.exported_at };
      const ids = record.undone?.deleted_subjects ? [] : idsIn(record, changes);
      for (const [member, each] of ids) if (!subjects.has(member)) subjects.set(member, each);
    } else if (!record.undone && !leaving.has(path) && !others.has(uuid)) {
      const ids = idsIn(record, changes);
      const named = Object.keys(record.needs.subjects).map((member) => [member, ids.get(member) ?? null]);
      const needs = { ...record.needs, subjects: Object.fromEntries(named) };
      others.set(uuid, { uuid, title, exportedAt: record.bundle.exported_at, needs });
    }
  }
  return {
    subjects,
    others: [...others.values()],
    last,
    lastValues: lastValues.objects,
    unfinished: newest && unfinishedRun(newest.path, newest.record),
    unreadable,
  };
};
