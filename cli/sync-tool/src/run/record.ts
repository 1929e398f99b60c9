import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type RecordedChange, type RunRecord, runRecordSchema, type SyncPlan } from '@ranger-relay/contracts';
import { parseExactJson, RelayError } from '@ranger-relay/errors';
import type { FormDocument } from '@ranger-relay/site';
import type { Disk } from './machine.ts';
import { createDurably, filesOf, newRunFiles, replaceDurably, type RunFiles } from './files.ts';
import { reasonOf } from '../bundle/files/read-lines.ts';
import { isImporterRecord, readImporterRecord, type RecordHead } from './importer-record.ts';
import { changesOf, type Entry, readJournal } from './journal.ts';

const parsed = (content: string): unknown => {
  try {
    return parseExactJson(content);
  } catch {
    return undefined;
  }
};

/**
 * Saves the form document that a run or an undo is about to replace, beside its record or report (bundle contract, 7). It may replace a
 * second, different document: each document gets its own file, later ones with a number.
 * @returns the name of the file
 */
export const keepFormBefore = async (
  { disk, formBefore }: Pick<RunFiles, 'disk' | 'formBefore'>,
  document: FormDocument,
): Promise<string> => {
  for (let count = 1; ; count += 1) {
    const path = count === 1 ? formBefore : formBefore.replace(/\.json$/, `-${count}.json`);
    const there = await disk.readFile(path, 'utf8').catch(() => undefined);
    const isKept =
      there === undefined
        ? await createDurably(disk, path, `${JSON.stringify(document, null, 2)}\n`)
        : isDeepStrictEqual(parsed(there), parseExactJson(JSON.stringify(document)));
    if (isKept) return basename(path);
  }
};

const text = (record: RunRecord): string => `${JSON.stringify(record, null, 2)}\n`;

/** A record on disk: its files and its current content. */
export interface OpenRecord {
  readonly files: RunFiles;
  readonly record: RunRecord;
}

/** The files of a run, and the record of the run with which it goes on. */
export type RunSources = Pick<RunRecord, 'plan' | 'checklist' | 'continues'>;

/** Creates the record of a run. Its status is `interrupted` until the run finishes. */
export const openRecord = async (
  disk: Disk,
  folder: string,
  plan: SyncPlan,
  now: number,
  sources: RunSources,
): Promise<OpenRecord> => {
  const { tool, site, conservation_area, bundle, options, hash, needs } = plan;
  const record: RunRecord = {
    format: 'patrol-datamodel-run',
    format_version: '1.0',
    tool,
    status: 'interrupted',
    started_at: new Date(now).toISOString(),
    finished_at: null,
    site,
    conservation_area,
    bundle,
    options,
    plan_hash: hash,
    ...sources,
    needs,
    changes: [],
  };
  return { files: await newRunFiles(disk, folder, now, text(record)), record };
};

/**
 * Writes the record from the entries of the journal and removes the journal. A run that wrote nothing keeps neither file, unless its record
 * tells other areas something. An interrupted run keeps its journal, so that it can be undone.
 * @returns whether the record stays
 */
export const finishRecord = async (
  { files, record }: OpenRecord,
  end: Pick<RunRecord, 'status' | 'finished_at'>,
  { entries, tells }: { readonly entries: readonly Entry[]; readonly tells: boolean },
): Promise<boolean> => {
  const changes = changesOf(entries);
  const stays = changes.length > 0 || tells;
  if (stays) await replaceDurably(files.disk, files.record, text({ ...record, ...end, changes }));
  else for (const file of [files.record, files.formBefore]) await files.disk.unlink(file).catch(() => undefined);
  if (end.status !== 'interrupted' || !stays) await files.disk.unlink(files.journal).catch(() => undefined);
  return stays;
};

/** A record with the entries of its journal. */
export interface LoadedRecord extends OpenRecord {
  /** All writes in order; in a finished record every write is done. */
  readonly entries: readonly Entry[];
}

/** The entries of a finished run: every write is done. */
export const doneEntries = (changes: readonly RecordedChange[]): Entry[] =>
  changes.map((change, number) => ({
    number,
    change,
    outcome: { outcome: 'done', id: 'id' in change ? change.id : null },
  }));

const invalid = (path: string, reason: string, cause?: unknown): RelayError =>
  new RelayError('record_invalid', { details: { path, reason }, cause });

/** Checks that a JSON value is a record of this tool. @throws RelayError `record_invalid` */
export const runRecordIn = (path: string, value: unknown): RunRecord => {
  if (isImporterRecord(value)) throw invalid(path, 'it is a run record of the importer: only undo takes it');
  const { data, error } = runRecordSchema.safeParse(value);
  if (error) throw invalid(path, 'it is not a valid run record (members are missing or wrong)', error);
  return data;
};

const readText = async (disk: Disk, path: string): Promise<string> => {
  try {
    return await disk.readFile(path, 'utf8');
  } catch (error) {
    throw invalid(path, `it ${reasonOf(error)}`, error);
  }
};

/** @throws RelayError `record_invalid` when the record is of another site */
export const checkSite = (
  { files, record }: { readonly files: RunFiles; readonly record: Pick<RunRecord, 'site'> },
  identity: string,
): void => {
  if (record.site !== identity) throw invalid(files.record, `it is of the site ${record.site}, not of ${identity}`);
};

/** Marks the record as undone; called before the undo changes anything, and with the entries after it. */
export const markUndone = ({ files, record }: OpenRecord, undone: NonNullable<RunRecord['undone']>): Promise<void> =>
  replaceDurably(files.disk, files.record, text({ ...record, undone }));

/** Reads the JSON value of a record of any tool. @throws RelayError `record_invalid` */
export const readRecordValue = async (disk: Disk, path: string): Promise<unknown> => {
  const content = await readText(disk, path);
  try {
    return parseExactJson(content);
  } catch (error) {
    throw invalid(path, 'it is not a valid run record (no JSON)', error);
  }
};

/** Reads a record without its journal. @throws RelayError `record_invalid` */
export const readRecord = async (disk: Disk, path: string): Promise<RunRecord> =>
  runRecordIn(path, await readRecordValue(disk, path));

/** Reads the writes of a run. The journal is the only source for an unfinished run: without it the run cannot be undone. */
const readEntries = async (files: RunFiles, record: RunRecord): Promise<readonly Entry[]> => {
  const journal = await files.disk.readFile(files.journal, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw invalid(files.journal, `it ${reasonOf(error)}`, error);
    return undefined;
  });
  if (journal !== undefined) return readJournal(journal);
  if (record.finished_at !== null) return doneEntries(record.changes);
  throw invalid(files.record, `its run was not finished, and ${basename(files.journal)} is not beside it; move both`);
};

/** Adds the writes of a run to its record. @throws RelayError `record_invalid` */
export const withEntries = async (disk: Disk, path: string, record: RunRecord): Promise<LoadedRecord> => {
  const files = filesOf(disk, path);
  return { files, record, entries: await readEntries(files, record) };
};

/** Reads a record, and its journal when the run did not finish. @throws RelayError `record_invalid` */
export const loadRecord = async (disk: Disk, path: string): Promise<LoadedRecord> =>
  withEntries(disk, path, await readRecord(disk, path));

/** Whether the run of an unreadable record was interrupted before its record was complete, and so before its first write. */
export const beganNothing = async (disk: Disk, path: string): Promise<boolean> =>
  (await disk.readFile(filesOf(disk, path).journal, 'utf8').catch(() => undefined)) === '';

/** Reads a form document that a run saved. @throws RelayError `record_invalid` */
export const readFormAt = async (disk: Disk, path: string): Promise<FormDocument> => {
  try {
    return parseExactJson(await readText(disk, path)) as FormDocument;
  } catch (error) {
    throw error instanceof RelayError ? error : invalid(path, 'it is no JSON', error);
  }
};

/** Reads a form document that a run saved beside its record. @throws RelayError `record_invalid` */
export const readFormBefore = ({ disk, record }: RunFiles, file: string): Promise<FormDocument> =>
  readFormAt(disk, join(dirname(record), basename(file)));

/** A record that can be undone: one of this tool, or one of the importer. */
export interface UndoableRecord {
  readonly files: RunFiles;
  readonly record: RecordHead;
  /** The word that stands for the external system on the site. */
  readonly word: string;
  readonly entries: readonly Entry[];
  /** Reads a form document that the run replaced. @throws RelayError `record_invalid` */
  formBefore(file: string): Promise<FormDocument>;
  /** Marks the record as undone; the importer's own file stays as it is. */
  markUndone(undone: NonNullable<RecordHead['undone']>): Promise<void>;
}

/** Reads site and area of a record. @throws RelayError `record_invalid` */
export const readRecordHead = async (disk: Disk, path: string): Promise<RecordHead> => {
  const value = await readRecordValue(disk, path);
  return isImporterRecord(value) ? readImporterRecord(path, value, '').head : runRecordIn(path, value);
};

/** The importer names the file by its absolute path; where it was moved, it lies beside the record. */
const importedFormBefore = async (files: RunFiles, file: string): Promise<FormDocument> => {
  const beside = join(dirname(files.record), basename(file));
  const isThere = await files.disk.stat(file).catch(() => undefined);
  return readFormAt(files.disk, isThere ? file : beside);
};

/**
 * Reads a record of this tool, with its journal when the run did not finish, or one of the importer.
 * @param setWord the word for a record of the importer that does not tell its own
 * @throws RelayError `record_invalid`
 */
export const loadUndoable = async (disk: Disk, path: string, setWord: string): Promise<UndoableRecord> => {
  const value = await readRecordValue(disk, path);
  if (!isImporterRecord(value)) {
    const loaded = await withEntries(disk, path, runRecordIn(path, value));
    return {
      ...loaded,
      word: loaded.record.options.word,
      formBefore: (file) => readFormBefore(loaded.files, file),
      markUndone: (undone) => markUndone(loaded, undone),
    };
  }
  const files = filesOf(disk, path);
  const { head, word, changes } = readImporterRecord(path, value, setWord);
  return {
    files,
    record: head,
    word,
    entries: doneEntries(changes),
    formBefore: (file) => importedFormBefore(files, file),
    markUndone: async () => undefined,
  };
};
