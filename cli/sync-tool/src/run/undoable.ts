import { basename, dirname, join } from 'node:path';
import type { FormDocument } from '@ranger-relay/site';
import { filesOf, type RunFiles } from './files.ts';
import { isImporterRecord, type RecordHead, readImporterRecord } from './importer-record.ts';
import type { Entry } from './journal.ts';
import type { Disk } from './machine.ts';
import {
  doneEntries,
  markUndone,
  readFormAt,
  readFormBefore,
  readRecordValue,
  runRecordIn,
  withEntries,
} from './record.ts';

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
