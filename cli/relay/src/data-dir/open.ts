import { mkdir, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { Clock, Random } from '@ranger-relay/runtime';
import { lockDirectory, lockPath } from './lock.ts';
import { readOrMakeMarker, writeFirstMarker, writeMarker, type Marker } from './marker.ts';
import { type Addresses, writeOwner } from './owner.ts';
import { identityOf, storePaths, type StorePaths } from './files.ts';
import { readOrCreateSecret } from './secrets.ts';

/** A DATA_DIR that this process has locked. */
export interface DataDir {
  /** Absolute. */
  readonly path: string;
  readonly paths: StorePaths;
  /** A UUID made at the first use. */
  readonly instanceId: string;
  /** Of this run of the process. */
  readonly runId: string;
  /** Warnings for the user about the state of the directory. */
  readonly warnings: readonly string[];
  /** Marker of the directory. */
  marker(): Marker;
  /** Updates the marker, durably; the first call makes the directory a used one. */
  record(change: Partial<Pick<Marker, 'bus_since' | 'kv_since' | 'platform'>>): Promise<void>;
  /**
   * The secret of a name, generated at the first call and stored in a file of mode 0600.
   * @throws RelayError `data_dir_unusable`
   */
  readOrCreateSecret(name: string): Promise<string>;
  /** Tells commands beside this process where it listens. */
  announce(addresses: Addresses): Promise<void>;
  /** Releases the lock. Keep a reference until then: the lock ends with it. */
  release(): Promise<void>;
  /** Releases the lock, and removes the folders that were created for it, as long as nothing was recorded. */
  discard(): Promise<void>;
}

/** Dependencies of opening. */
export interface OpenOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Pid of this process for the error of another one; defaults to the real one. */
  readonly pid?: number;
}

const unusable = (path: string, problem: string, cause?: unknown): RelayError =>
  new RelayError('data_dir_unusable', { details: { path, problem }, cause });

/** An error of the file system as `data_dir_unusable`; others as they are. */
const explained = (path: string, thrown: unknown): unknown => {
  const { code, syscall } = thrown as NodeJS.ErrnoException;
  if (isRelayError(thrown) || code === undefined || syscall === undefined) return thrown;
  return unusable(path, `${syscall} failed with ${code}`, thrown);
};

/** Not `recursive`: Node tries that without end where a file system refuses new folders with ENOENT, as /proc does. */
const makeFolders = async (path: string): Promise<readonly string[]> => {
  const code = await mkdir(path, { mode: 0o700 }).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  );
  if (code === undefined) return [path];
  if (code === 'EEXIST') return [];
  const parent = dirname(path);
  const isOrphan = code === 'ENOENT' && !(await stat(parent).catch(() => undefined));
  const above = isOrphan && parent !== path ? await makeFolders(parent) : [];
  await mkdir(path, { mode: 0o700 });
  return [path, ...above];
};

/** Returns the folders that it created, the deepest first. */
const create = async (path: string): Promise<readonly string[]> => {
  const there = await stat(path).catch(() => undefined);
  if (there?.isDirectory()) return [];
  if (there) throw unusable(path, 'it is a file, not a directory');
  try {
    return await makeFolders(path);
  } catch (error) {
    throw unusable(path, `it cannot be created (${(error as NodeJS.ErrnoException).code})`, error);
  }
};

const openLocked = async (path: string, { clock, random, pid = process.pid }: OpenOptions): Promise<DataDir> => {
  const created = await create(path);
  const owner = { id: random.uuid(), pid, addresses: null };
  const lock = await lockDirectory(path, owner);
  try {
    const paths = storePaths(path);
    const first = await readOrMakeMarker(path, paths, { clock, random });
    let { marker, isStored } = first;
    return {
      path,
      paths,
      instanceId: marker.instance_id,
      runId: owner.id,
      warnings: first.warnings,
      marker: () => marker,
      async record(change) {
        const next = { ...marker, ...change };
        await (isStored ? writeMarker(path, next) : writeFirstMarker(path, next, clock));
        marker = next;
        isStored = true;
      },
      readOrCreateSecret: (name) =>
        readOrCreateSecret(path, name, random).catch((error: unknown) => {
          throw explained(path, error);
        }),
      announce: async (addresses) => writeOwner(path, { ...owner, lock: await identityOf(lockPath(path)), addresses }),
      release: lock.release,
      async discard() {
        await lock.release();
        if (isStored || created.length === 0) return;
        await rm(lockPath(path), { force: true });
        // A folder in which somebody has put something meanwhile stays.
        for (const folder of created) await rmdir(folder).catch(() => undefined);
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
};

/**
 * Opens a directory: creates it (readable only by its owner) if it is missing, locks it, and reads its marker.
 * @throws RelayError `data_dir_in_use`, `data_dir_unusable`
 */
export const openDataDir = async (dataDir: string, options: OpenOptions): Promise<DataDir> => {
  const path = resolve(dataDir);
  try {
    return await openLocked(path, options);
  } catch (error) {
    throw explained(path, error);
  }
};
