import { mkdir, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { Clock, Random } from '@ranger-relay/runtime';
import { lockDirectory, lockPath } from './lock.ts';
import { type Addresses, type Marker, markerPath, readOrMakeMarker, writeFirstMarker, writeMarker } from './marker.ts';
import { storePaths, type StorePaths } from './files.ts';
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
  const lock = await lockDirectory(path);
  try {
    const paths = storePaths(path);
    const owner = { id: random.uuid(), pid, addresses: null, lock: lock.identity };
    const first = await readOrMakeMarker(path, paths, { clock, random });
    let { found } = first;
    let marker: Marker = { ...first.marker, owner };
    if (found !== 'damaged') await writeMarker(path, marker);
    const record = async (change: Partial<Marker>): Promise<void> => {
      const next = { ...marker, ...change };
      await (found === 'damaged' ? writeFirstMarker(path, next, clock) : writeMarker(path, next));
      marker = next;
      found = 'stored';
    };
    let isHeld = true;
    const release = async (): Promise<void> => {
      if (!isHeld) return;
      isHeld = false;
      // On a full disk the owner stays there, and counts no more.
      if (found === 'stored') await writeMarker(path, { ...marker, owner: null }).catch(() => undefined);
      if (found === 'missing') await rm(markerPath(path), { force: true });
      lock.release();
    };
    return {
      path,
      paths,
      instanceId: marker.instance_id,
      runId: owner.id,
      warnings: first.warnings,
      marker: () => marker,
      record,
      readOrCreateSecret: (name) =>
        readOrCreateSecret(path, name, random).catch((error: unknown) => {
          throw explained(path, error);
        }),
      announce: (addresses) => record({ owner: { ...owner, addresses } }),
      release,
      async discard() {
        await release();
        if (found === 'stored' || created.length === 0) return;
        await rm(lockPath(path), { force: true });
        // A folder in which somebody has put something meanwhile stays.
        for (const folder of created) await rmdir(folder).catch(() => undefined);
      },
    };
  } catch (error) {
    lock.release();
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
