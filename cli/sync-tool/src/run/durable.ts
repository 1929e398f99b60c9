import { mkdir, open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { RelayError } from '@ranger-relay/errors';

/**
 * Runs a file operation and converts its failure: a full, missing or read-only disk is an operating error, not a program error.
 * @throws RelayError `output_not_writable`; the system's error when the file exists already
 */
export const onDisk = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || syscall === undefined) throw error;
    throw new RelayError('output_not_writable', { details: { path, reason: message }, cause: error });
  }
};

/** Creates a folder and its parents. Node's recursive mkdir never returns where the system reports that the folder cannot exist. */
export const makeFolder = async (folder: string): Promise<void> => {
  const path = resolve(folder);
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path);
  }
};

/** Flushes a folder to disk. Some systems cannot open or flush a folder; there the call does nothing. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
};

/**
 * Creates a file with this content and flushes both the file and its name to disk.
 * @throws RelayError `output_not_writable`; the system's error when the file exists
 */
export const createDurably = (path: string, content: string): Promise<void> =>
  onDisk(path, async () => {
    const handle = await open(path, 'wx');
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await syncFolder(dirname(path));
  });

/** Replaces a file atomically. @throws RelayError `output_not_writable` */
export const replaceDurably = (path: string, content: string): Promise<void> =>
  onDisk(path, async () => {
    const temporary = `${path}.tmp`;
    await unlink(temporary).catch(() => undefined);
    await createDurably(temporary, content);
    await rename(temporary, path);
    await syncFolder(dirname(path));
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
export const openLines = async (path: string): Promise<LineWriter> => {
  const handle: FileHandle = await onDisk(path, () => open(path, 'a'));
  await syncFolder(dirname(path));
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
