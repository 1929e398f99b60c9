import { constants } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { RelayError } from '@ranger-relay/errors';
import type { Disk } from './machine.ts';

/**
 * Runs a file operation and converts its failure: a full, missing or read-only disk is an operating error, not a program error.
 * @throws RelayError `output_not_writable`
 */
export const onDisk = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new RelayError('output_not_writable', { details: { path, reason: message }, cause: error });
  }
};

/** Creates a folder and its parents. Node's recursive mkdir never returns where the system reports that the folder cannot exist. */
export const makeFolder = async (disk: Disk, folder: string): Promise<void> => {
  const path = resolve(folder);
  try {
    await disk.mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(disk, dirname(path));
    await disk.mkdir(path);
  }
};

/** Flushes a folder to disk. Some systems cannot open or flush a folder; there the call does nothing. */
const syncFolder = async (disk: Disk, folder: string): Promise<void> => {
  const handle = await disk.open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
};

/**
 * Creates a file with this content; where that fails, none is left.
 * @param isDurable flushes both the file and its name to disk
 * @returns whether it was created, false where the file exists
 * @throws the system's error
 */
export const createFile = async (disk: Disk, path: string, content: string, isDurable: boolean): Promise<boolean> => {
  const handle = await disk.open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  if (!handle) return false;
  try {
    await handle.writeFile(content);
    if (isDurable) await handle.sync();
  } catch (error) {
    await disk.unlink(path).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
  if (isDurable) await syncFolder(disk, dirname(path));
  return true;
};

/** Creates a file durably, as {@link createFile}. @throws RelayError `output_not_writable` */
export const createDurably = (disk: Disk, path: string, content: string): Promise<boolean> =>
  onDisk(path, () => createFile(disk, path, content, true));

/** Creates a file under the first free name beside a path; another process may be replacing the same path. @returns the name */
const createBeside = async (disk: Disk, path: string, content: string): Promise<string> => {
  for (let number = 1; ; number += 1) {
    const temporary = `${path}.${number}.tmp`;
    if (await createFile(disk, temporary, content, true)) return temporary;
  }
};

/** The name of the file that a temporary file was to replace; undefined for another file. */
export const temporaryFor = (name: string): string | undefined => /^(.+)\.[1-9]\d*\.tmp$/.exec(name)?.[1];

/** Replaces a file atomically. @throws RelayError `output_not_writable` */
export const replaceDurably = (disk: Disk, path: string, content: string): Promise<void> =>
  onDisk(path, async () => {
    await disk.rename(await createBeside(disk, path, content), path);
    await syncFolder(disk, dirname(path));
  });

/** Appends lines; a line is on disk when its call resolves. Concurrent calls share one flush. */
export interface LineWriter {
  /** @throws RelayError `output_not_writable`; after the first failure every call fails, so that no line follows a partial one */
  append(line: string): Promise<void>;
  close(): Promise<void>;
}

interface Waiting {
  readonly line: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Opens a file for appending and creates it if it does not exist. */
export const openLines = async (disk: Disk, path: string): Promise<LineWriter> => {
  const handle = await onDisk(path, () => disk.open(path, 'a'));
  await syncFolder(disk, dirname(path));
  let waiting: Waiting[] = [];
  let flushing: Promise<void> | undefined;
  let broken: { readonly cause: unknown } | undefined;

  const write = async (lines: readonly Waiting[]): Promise<void> => {
    if (broken) throw broken.cause;
    await onDisk(path, async () => {
      await handle.appendFile(lines.map(({ line }) => `${line}\n`).join(''));
      await handle.datasync();
    });
  };

  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await write(batch);
        for (const { resolve } of batch) resolve();
      } catch (cause) {
        broken ??= { cause };
        for (const { reject } of batch) reject(cause);
      }
    }
    flushing = undefined;
  };

  return {
    append: (line) =>
      new Promise((resolve, reject) => {
        waiting.push({ line, resolve, reject });
        flushing ??= flush();
      }),
    async close() {
      await flushing;
      await handle.close();
    },
  };
};

/** Formats a time for file names: `20260131T140311Z`. */
export const stampOf = (ms: number): string =>
  new Date(ms)
    .toISOString()
    .replaceAll(/[-:]/g, '')
    .replace(/\.\d+Z$/, 'Z');

/** Whether a file of this name is the record of a run. */
export const isRecordName = (name: string): boolean => /^patrol-datamodel-run-\d{8}T\d{6}Z\.json$/.test(name);

const importerName = /^patrol-datamodel-run-\d{8}T\d{12}Z(-\d+)?\.json$/;

/** Whether a file of this name is a record that can be undone: of a run, or of the importer, whose time has microseconds. */
export const isUndoableName = (name: string): boolean => isRecordName(name) || importerName.test(name);

/** A text by which names of records sort by time: theirs has seconds or microseconds, then a number for one in use already. */
export const recordOrder = (name: string): string => {
  const [, day = name, time = '', number = ''] = /(\d{8})T(\d+)Z(?:-(\d+))?\.json$/.exec(name) ?? [];
  return `${day} ${time} ${number.padStart(9, '0')}`;
};

/** Whether a folder of this name is that of a plan, where each plan has one. */
export const isPlanFolder = (name: string): boolean => /^[1-9]\d{0,8}$/.test(name);

/** Whether a file of this name is a record, a file beside it, or the report of an undo. */
export const isRunFileName = (name: string): boolean =>
  /^patrol-datamodel-(run-\d{8}T\d{6}Z\.journal\.jsonl|(run|undo)-\d{8}T\d{6}Z(\.form-before(-\d+)?)?\.json)$/.test(
    name,
  );

/** Whether a file begins as a plan does. */
export const isPlanText = (content: string): boolean => /^\{\s*"format":\s*"patrol-datamodel-plan"/.test(content);

/** Paths of the files of one run, all in one folder of a disk. */
export interface RunFiles {
  readonly disk: Disk;
  readonly record: string;
  readonly journal: string;
  readonly formBefore: string;
}

/** Returns the paths of the files that belong to a record. */
export const filesOf = (disk: Disk, record: string): RunFiles => {
  const base = record.replace(/\.json$/, '');
  return { disk, record, journal: `${base}.journal.jsonl`, formBefore: `${base}.form-before.json` };
};

/** Returns a path with a timestamp that no file in the folder uses yet; a timestamp in use is advanced by one second at a time. */
export const freeName = async (disk: Disk, folder: string, prefix: string, now: number): Promise<string> => {
  const taken = await disk.readdir(folder);
  let at = now;
  while (taken.some((name) => name.startsWith(`${prefix}${stampOf(at)}.`))) at += 1_000;
  return join(folder, `${prefix}${stampOf(at)}`);
};

/**
 * Creates the journal and then the record of a new run. The order matters: an unfinished record without a journal means that the journal
 * was lost. Retries with another name when a concurrent run in the same folder takes the name first.
 */
export const newRunFiles = async (disk: Disk, folder: string, now: number, record: string): Promise<RunFiles> => {
  for (;;) {
    const files = filesOf(disk, `${await freeName(disk, folder, 'patrol-datamodel-run-', now)}.json`);
    if (!(await createDurably(disk, files.journal, ''))) continue;
    let isCreated = false;
    try {
      isCreated = await createDurably(disk, files.record, record);
    } finally {
      if (!isCreated) await disk.unlink(files.journal).catch(() => undefined);
    }
    if (isCreated) return files;
  }
};

/** Path of the checklist: the given path, or `checklist.md` beside the folder of the bundle, or beside the record of a run. */
export const checklistPath = (beside: string, named: string | undefined): string =>
  named ?? join(dirname(beside), 'checklist.md');

/** Checks that the checklist and the record can be written. @throws RelayError `output_not_writable` */
export const checkOutput = async (disk: Disk, checklist: string): Promise<void> => {
  const folder = dirname(checklist);
  try {
    await makeFolder(disk, folder);
    await disk.access(folder, constants.W_OK | constants.X_OK);
    const there = await disk.stat(checklist).catch(() => undefined);
    if (there && !there.isDirectory()) return await disk.access(checklist, constants.W_OK);
    if (!there) return;
  } catch (error) {
    throw new RelayError('output_not_writable', { details: { path: folder, reason: (error as Error).message } });
  }
  const reason = `it is a folder; name a file, as ${join(checklist, 'checklist.md')}`;
  throw new RelayError('output_not_writable', { details: { path: checklist, reason } });
};

/** Folder of the checklist, which also holds the records and the lock. */
export const folderOf = (checklist: string): string => dirname(checklist);
