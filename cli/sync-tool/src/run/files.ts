import { access, constants, readdir, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { RelayError } from '@ranger-relay/errors';
import { createDurably, makeFolder } from './durable.ts';

/** Formats a time for file names: `20260131T140311Z`. */
export const stampOf = (ms: number): string =>
  new Date(ms)
    .toISOString()
    .replaceAll(/[-:]/g, '')
    .replace(/\.\d+Z$/, 'Z');

/** Whether a file of this name is the record of a run. */
export const isRecordName = (name: string): boolean => /^patrol-datamodel-run-\d{8}T\d{6}Z\.json$/.test(name);

/** Paths of the files of one run, all in one folder. */
export interface RunFiles {
  readonly record: string;
  readonly journal: string;
  readonly formBefore: string;
}

/** Returns the paths of the files that belong to a record. */
export const filesOf = (record: string): RunFiles => {
  const base = record.replace(/\.json$/, '');
  return { record, journal: `${base}.journal.jsonl`, formBefore: `${base}.form-before.json` };
};

/** Returns a path with a timestamp that no file in the folder uses yet; a timestamp in use is advanced by one second at a time. */
export const freeName = async (folder: string, prefix: string, now: number): Promise<string> => {
  const taken = await readdir(folder);
  let at = now;
  while (taken.some((name) => name.startsWith(`${prefix}${stampOf(at)}.`))) at += 1_000;
  return join(folder, `${prefix}${stampOf(at)}`);
};

const isTaken = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EEXIST';

/**
 * Creates the journal and then the record of a new run. The order matters: an unfinished record without a journal means that the journal
 * was lost. Retries with another name when a concurrent run in the same folder takes the name first.
 */
export const newRunFiles = async (folder: string, now: number, record: string): Promise<RunFiles> => {
  for (;;) {
    const files = filesOf(`${await freeName(folder, 'patrol-datamodel-run-', now)}.json`);
    try {
      await createDurably(files.journal, '');
    } catch (error) {
      if (isTaken(error)) continue;
      throw error;
    }
    try {
      await createDurably(files.record, record);
      return files;
    } catch (error) {
      await unlink(files.journal).catch(() => undefined);
      if (!isTaken(error)) throw error;
    }
  }
};

/** Path of the checklist: the given path, or `checklist.md` beside the folder of the bundle. */
export const checklistPath = (bundle: string, named: string | undefined): string =>
  named ?? join(dirname(bundle), 'checklist.md');

/** Checks that the checklist and the record can be written. @throws RelayError `output_not_writable` */
export const checkOutput = async (checklist: string): Promise<void> => {
  const folder = dirname(checklist);
  try {
    await makeFolder(folder);
    await access(folder, constants.W_OK | constants.X_OK);
    const there = await stat(checklist).catch(() => undefined);
    if (there?.isDirectory()) throw new Error(`${basename(checklist)} is a folder`);
    if (there) await access(checklist, constants.W_OK);
  } catch (error) {
    throw new RelayError('output_not_writable', { details: { path: folder, reason: (error as Error).message } });
  }
};

/** Folder of the checklist, which also holds the records and the lock. */
export const folderOf = (checklist: string): string => dirname(checklist);
