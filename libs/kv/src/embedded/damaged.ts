import { rename } from 'node:fs/promises';
import { isRelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import { openSqlite, type SqliteFile } from '@ranger-relay/sqlite';
import { schema } from './statements.ts';

/** A damaged file was put aside and an empty one took its place. */
export interface Rebuilt {
  /** What is wrong with the old file. */
  readonly reason: string;
  /** Where the old file is now. */
  readonly aside: string;
}

/** Which file, and who hears of a rebuilt one. */
export interface OpenOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly onRebuilt: (rebuilt: Rebuilt) => void;
  /** The file is another process's: it must exist, and a damaged one is left to its owner. */
  readonly beside?: boolean;
}

const isAbsent = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

const renameIfThere = async (from: string, to: string): Promise<void> => {
  try {
    await rename(from, to);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
};

/** Puts the file and its journals beside, under one name, so that a salvage finds what belongs together. */
const setAside = async (path: string, clock: Clock): Promise<string> => {
  const aside = `${path}.damaged-${new Date(clock.now()).toISOString().replaceAll(':', '')}`;
  // A journal left behind would be played into the new file, so journals go first.
  for (const suffix of ['-wal', '-shm', '']) await renameIfThere(`${path}${suffix}`, `${aside}${suffix}`);
  return aside;
};

/** Opens the file; a damaged one is put aside and replaced by an empty one, which `onRebuilt` hears of. */
export const openOrRebuild = async ({ path, clock, onRebuilt, beside = false }: OpenOptions): Promise<SqliteFile> => {
  const open = (): Promise<SqliteFile> => openSqlite({ path, schema, clock, beside });
  try {
    return await open();
  } catch (error) {
    if (beside || !isRelayError(error, 'store_damaged')) throw error;
    const aside = await setAside(path, clock);
    const file = await open();
    onRebuilt({ reason: String(error.details['problem'] ?? error.message), aside });
    return file;
  }
};
