import { open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Not every system lets a folder be opened or brought to the disk; there its names are as safe as they get. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
};

/** Creates a file with this content and brings both, file and name, to the disk. @throws when the file exists */
export const createDurably = async (path: string, content: string): Promise<void> => {
  const handle = await open(path, 'wx');
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolder(dirname(path));
};

/** Puts a file in the place of another, whole or not at all. */
export const replaceDurably = async (path: string, content: string): Promise<void> => {
  const temporary = `${path}.tmp`;
  await unlink(temporary).catch(() => undefined);
  await createDurably(temporary, content);
  await rename(temporary, path);
  await syncFolder(dirname(path));
};

/** Appends lines that are on the disk when the call resolves; calls that wait together share one flush. */
export interface LineWriter {
  /** @throws the system's error; after the first one every call, so that no line follows half of another */
  append(line: string): Promise<void>;
  close(): Promise<void>;
}

interface Waiting {
  readonly line: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Opens a file for appending; it is created when it is not there. */
export const openLines = async (path: string): Promise<LineWriter> => {
  const handle: FileHandle = await open(path, 'a');
  await syncFolder(dirname(path));
  let waiting: Waiting[] = [];
  let flushing: Promise<void> | undefined;
  let broken: { readonly cause: unknown } | undefined;

  const write = async (lines: readonly Waiting[]): Promise<void> => {
    if (broken) throw broken.cause;
    await handle.appendFile(lines.map(({ line }) => `${line}\n`).join(''));
    await handle.datasync();
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
