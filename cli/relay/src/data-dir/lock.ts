import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isOpenElsewhere } from '@ranger-relay/bus';
import { RelayError } from '@ranger-relay/errors';
import { identityOf, storePaths } from './files.ts';
import { type Addresses, type Owner, readMarker } from './marker.ts';

/** Exclusive lock on a directory. Held while it is referenced and the process lives. */
export interface Lock {
  /** Device and inode of its file. */
  readonly identity: string | undefined;
  /** Gives it back; later calls do nothing. */
  release(): void;
}

/** Path of the file whose lock is the lock of a directory. */
export const lockPath = (directory: string): string => join(directory, 'lock.sqlite');

const busy = 5;
/** A check whether a directory is locked holds the file for a moment. */
const probeMs = 200;

const isBusy = (error: unknown): boolean => ((error as { errcode?: number } | null)?.errcode ?? 0) % 256 === busy;

const ownerOf = async (path: string): Promise<Owner | undefined> => (await readMarker(path))?.owner ?? undefined;

const inUse = async (path: string, cause?: unknown): Promise<RelayError> => {
  const { pid = 'of unknown number' } = (await ownerOf(path)) ?? {};
  return new RelayError('data_dir_in_use', { details: { path, pid }, cause });
};

/**
 * Refuses a directory whose bus another process has open although its lock was free: somebody has removed or replaced the lock under a running
 * `up`. Commands beside a running `up` have the bus open too, so it is asked only then.
 */
const refuseOwnerOfBus = async (path: string, before: string | undefined, lock: string | undefined): Promise<void> => {
  const known = await ownerOf(path);
  if (before !== undefined && (known === undefined || known.lock === lock)) return;
  if (!isOpenElsewhere(storePaths(path).bus)) return;
  // The next try must find out, too.
  if (before === undefined) await rm(lockPath(path), { force: true });
  throw await inUse(path);
};

/**
 * Locks a directory for this process. An open exclusive transaction on a file of its own holds the operating system's lock, which ends with
 * the process however it ends.
 * @throws RelayError `data_dir_in_use`, `data_dir_unusable`
 */
export const lockDirectory = async (path: string): Promise<Lock> => {
  const before = await identityOf(lockPath(path));
  let db: DatabaseSync | undefined;
  try {
    // Nothing else may open this file: closing any handle on it would end the lock of the whole process.
    db = new DatabaseSync(lockPath(path), { timeout: probeMs });
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db?.close();
    if (isBusy(error)) throw await inUse(path, error);
    const problem = `it cannot be locked (${(error as Error).message}); it must be writable, and lock.sqlite intact`;
    throw new RelayError('data_dir_unusable', { details: { path, problem }, cause: error });
  }
  const held = db;
  const identity = await identityOf(lockPath(path));
  try {
    await refuseOwnerOfBus(path, before, identity);
  } catch (error) {
    held.close();
    throw error;
  }
  return {
    identity,
    release() {
      if (held.isOpen) held.close();
    },
  };
};

/** Whether another process has the lock of a directory. The owner of the lock must not ask: it would release the lock. */
export const isLocked = (path: string): boolean => {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(lockPath(path), { timeout: 0, readOnly: true });
    db.exec('SELECT count(*) FROM sqlite_master');
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    db?.close();
  }
};

/** A running `up`, as the files of its DATA_DIR tell. */
export interface RunningUp {
  readonly id: string;
  readonly pid: number;
  /** Absolute. */
  readonly dataDir: string;
  readonly addresses: Addresses;
}

/** The `up` of a DATA_DIR, and no other one of this machine. @throws RelayError `up_not_running` */
export const runningUp = async (dataDir: string): Promise<RunningUp> => {
  const path = resolve(dataDir);
  const refuse = (problem: string): RelayError => new RelayError('up_not_running', { details: { path, problem } });
  const running = await runningOn(path);
  if (!running) throw refuse('none runs there');
  if (!running.owner) throw refuse('one runs there, but its file store.json cannot be read');
  const { id, pid, addresses } = running.owner;
  if (!addresses) throw refuse(`the process ${pid} has not started completely`);
  return { id, pid, dataDir: path, addresses };
};

/** The `up` that works on a DATA_DIR now: its lock is held. `owner` is undefined when it cannot be read. */
export const runningOn = async (dataDir: string): Promise<{ readonly owner: Owner | undefined } | undefined> => {
  const directory = resolve(dataDir);
  return isLocked(directory) ? { owner: await ownerOf(directory) } : undefined;
};

/** The `up` that worked on a DATA_DIR last and has ended without saying so, as a killed one does; undefined while one runs. */
export const killedOn = async (dataDir: string): Promise<Owner | undefined> => {
  const directory = resolve(dataDir);
  return isLocked(directory) ? undefined : ownerOf(directory);
};
