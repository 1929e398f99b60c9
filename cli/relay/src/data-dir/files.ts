import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Clock } from '@ranger-relay/runtime';

/** Files of the embedded adapters in a DATA_DIR. */
export interface StorePaths {
  readonly bus: string;
  readonly kv: string;
}

/** Paths of the files in a DATA_DIR; also used by commands beside a running `up`. */
export const storePaths = (dataDir: string): StorePaths => {
  const path = resolve(dataDir);
  return { bus: join(path, 'bus.sqlite'), kv: join(path, 'kv.sqlite') };
};

/** True when the error means that the file does not exist. */
export const isAbsent = (error: unknown): boolean => (error as NodeJS.ErrnoException | null)?.code === 'ENOENT';

/** Size and age of a file, or undefined when there is none. `changedAt` is ISO 8601. */
export const statOf = async (path: string): Promise<{ size: number; changedAt: string } | undefined> => {
  try {
    const { size, mtime } = await stat(path);
    return { size, changedAt: mtime.toISOString() };
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
};

/** Device and inode of a file: another file in its place has others. Undefined when there is none. */
export const identityOf = async (path: string): Promise<string | undefined> => {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found && `${found.dev}:${found.ino}`;
};

/** Makes names that were created, replaced or removed in a directory durable. */
export const syncDirectory = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Replaces a file: after a crash at any moment it holds the old text or the new one, whole. */
export const writeAtomically = async (path: string, text: string): Promise<void> => {
  const temporary = join(dirname(path), `.${basename(path)}.new`);
  await rm(temporary, { force: true });
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, path);
  await syncDirectory(dirname(path));
};

const asideOf = (path: string, clock: Clock): string =>
  `${path}.damaged-${new Date(clock.now()).toISOString().replaceAll(':', '')}`;

/** Moves a file and the SQLite journals that belong to it, as far as they exist, beside; returns the new name of the file. */
export const setAside = async (path: string, clock: Clock): Promise<string> => {
  const aside = asideOf(path, clock);
  for (const suffix of ['', '-wal', '-shm'])
    if (await statOf(`${path}${suffix}`)) await rename(`${path}${suffix}`, `${aside}${suffix}`);
  await syncDirectory(dirname(path));
  return aside;
};
