import * as disk from 'node:fs/promises';
import { join } from 'node:path';
import { RelayError } from '@ranger-relay/errors';
import { isPlanFolder, isRecordName, isRunFileName, temporaryFor } from '../run/files.ts';
import { readRecord } from '../run/record.ts';
import { filesIn } from './folder.ts';

/** A numbered folder with a plan, and with the run that carried it out, if there was one. */
export interface RunFolder {
  readonly number: number;
  /** Whether a run was carried out. */
  readonly ran: boolean;
  /** Whether the folder has something to delete and is no longer needed: its run has finished and no process uses it. */
  readonly whole: boolean;
}

/** How many folders to keep, and which ones in any case. */
export interface Keeping {
  readonly keep: number;
  readonly spare: ReadonlySet<number>;
}

/**
 * Selects the folders to delete. Keeps the newest runs and, counted separately, the newest plans that were not carried out, so that the
 * newest run is always kept. Also keeps unfinished runs, which are needed to resume or undo them. Pure.
 */
export const outlived = (folders: readonly RunFolder[], { keep, spare }: Keeping): readonly number[] => {
  const newestFirst = folders.toSorted((a, b) => b.number - a.number);
  const past = (ran: boolean): readonly RunFolder[] => newestFirst.filter((each) => each.ran === ran).slice(keep);
  return [...past(true), ...past(false)]
    .filter(({ number, whole }) => whole && !spare.has(number))
    .map(({ number }) => number)
    .toSorted((a, b) => a - b);
};

/** Paths of what runs have left in a folder, the records first: a partly deleted folder then does not count as a run. */
const ownFiles = async (folder: string, names: readonly string[]): Promise<readonly string[]> => {
  const own = (await filesIn(folder))
    .map(({ name }) => name)
    .toSorted((a, b) => Number(isRecordName(b)) - Number(isRecordName(a)));
  // Killed processes leave what was to replace a file.
  const temporary = names.filter((name) => {
    const replaced = temporaryFor(name);
    return replaced !== undefined && (isRunFileName(replaced) || own.includes(replaced));
  });
  return [...own, ...temporary].map((name) => join(folder, name));
};

/** A plan is applied in its folder until it is done: the newest record tells whether it is. */
const look = async (folder: string, number: number): Promise<RunFolder> => {
  const path = join(folder, String(number));
  const names = await disk.readdir(path);
  const newest = names.filter(isRecordName).toSorted().at(-1);
  const record = newest === undefined ? undefined : await readRecord(disk, join(path, newest)).catch(() => undefined);
  const isBusy = names.some((name) => name.startsWith('.'));
  const isDone = newest === undefined || record?.status === 'complete';
  const hasOwn = names.length === 0 || (await ownFiles(path, names)).length > 0;
  return { number, ran: newest !== undefined, whole: !isBusy && isDone && hasOwn };
};

/** Lists the numbered folders, no links; empty when the folder does not exist. @throws RelayError `output_not_writable` */
const foldersIn = async (folder: string): Promise<readonly RunFolder[]> => {
  const entries = await disk.readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new RelayError('output_not_writable', { details: { path: folder, reason: error.message }, cause: error });
  });
  const numbers = entries.filter((each) => each.isDirectory() && isPlanFolder(each.name));
  return Promise.all(numbers.map(({ name }) => look(folder, Number(name))));
};

const remove = async (path: string): Promise<void> => {
  for (const file of await ownFiles(path, await disk.readdir(path))) await disk.unlink(file);
  // Keeps files that a person has added, and the folder with them.
  await disk.rmdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
};

/** The deleted folders, and the number of remaining ones. */
export interface Pruned {
  readonly deleted: readonly number[];
  readonly left: number;
}

/** Deletes the files of older runs in the numbered folders of a folder. @throws RelayError `output_not_writable` */
export const prune = async (folder: string, keeping: Keeping): Promise<Pruned> => {
  const folders = await foldersIn(folder);
  const deleted = outlived(folders, keeping);
  for (const number of deleted) {
    const path = join(folder, String(number));
    await remove(path).catch((error: unknown) => {
      throw new RelayError('output_not_writable', {
        details: { path, reason: (error as Error).message },
        cause: error,
      });
    });
  }
  return { deleted, left: folders.length - deleted.length };
};
