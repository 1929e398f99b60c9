import { rename } from 'node:fs/promises';
import { isRelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import { openSqlite, type SqliteFile } from '@ranger-relay/sqlite';
import { schema } from './statements.ts';

/** A damaged file was set aside and replaced by an empty one. */
export interface Rebuilt {
  /** The damage of the old file. */
  readonly reason: string;
  /** New path of the old file. */
  readonly aside: string;
}

/** Options of `openOrRebuild`. */
export interface OpenOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly onRebuilt: (rebuilt: Rebuilt) => void;
  /** Another process owns the file: it must exist, and its owner replaces a damaged one. */
  readonly beside?: boolean;
  /** Room that the file and its journal have from the start. */
  readonly reserveBytes?: number | undefined;
}

const isAbsent = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

const renameIfThere = async (from: string, to: string): Promise<void> => {
  try {
    await rename(from, to);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
};

/** Renames the file and its journals together, so that a salvage finds all of them. */
const setAside = async (path: string, clock: Clock): Promise<string> => {
  const aside = `${path}.damaged-${new Date(clock.now()).toISOString().replaceAll(':', '')}`;
  // SQLite would replay a remaining journal into the new file, so journals are renamed first.
  for (const suffix of ['-wal', '-shm', '']) await renameIfThere(`${path}${suffix}`, `${aside}${suffix}`);
  return aside;
};

/** Opens the file. Sets a damaged one aside, replaces it by an empty one, and calls `onRebuilt`. */
export const openOrRebuild = async (options: OpenOptions): Promise<SqliteFile> => {
  const { path, clock, onRebuilt, beside = false, reserveBytes } = options;
  const open = (): Promise<SqliteFile> => openSqlite({ path, schema, clock, beside, reserveBytes });
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
