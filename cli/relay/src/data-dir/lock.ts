import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { RelayError } from '@ranger-relay/errors';

/** Exclusive lock on a directory. Held while it is referenced and the process lives. */
export interface Lock {
  /** Gives it back; later calls do nothing. */
  release(): Promise<void>;
}

const busy = 5;
/** A check whether a directory is locked holds the file for a moment. */
const probeMs = 200;

const holderOf = async (pidFile: string): Promise<number | string> => {
  const text = await readFile(pidFile, 'utf8').catch(() => '');
  return Number.parseInt(text, 10) || 'of unknown number';
};

const isBusy = (error: unknown): boolean => ((error as { errcode?: number } | null)?.errcode ?? 0) % 256 === busy;

/**
 * Locks a directory for this process. An open exclusive transaction on a file of its own holds the operating system's lock, which ends with
 * the process however it ends; the pid in `up.pid` only serves the error's text.
 * @throws RelayError `data_dir_in_use`, `data_dir_unusable`
 */
export const lockDirectory = async (path: string, pid: number): Promise<Lock> => {
  const pidFile = join(path, 'up.pid');
  let db: DatabaseSync | undefined;
  try {
    // Nothing else may open this file: closing any handle on it would end the lock of the whole process.
    db = new DatabaseSync(join(path, 'lock.sqlite'), { timeout: probeMs });
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db?.close();
    if (isBusy(error))
      throw new RelayError('data_dir_in_use', { details: { path, pid: await holderOf(pidFile) }, cause: error });
    const problem = `it cannot be locked (${(error as Error).message}); it must be writable, and lock.sqlite intact`;
    throw new RelayError('data_dir_unusable', { details: { path, problem }, cause: error });
  }
  const held = db;
  const release = async (): Promise<void> => {
    if (!held.isOpen) return;
    await rm(pidFile, { force: true });
    if (held.isOpen) held.close();
  };
  try {
    await writeFile(pidFile, `${pid}\n`);
  } catch (error) {
    held.close();
    throw error;
  }
  return { release };
};

/** Whether another process has the lock of a directory. The owner of the lock must not ask: it would release the lock. */
export const isLocked = (path: string): boolean => {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(join(path, 'lock.sqlite'), { timeout: 0, readOnly: true });
    db.exec('SELECT count(*) FROM sqlite_master');
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    db?.close();
  }
};
