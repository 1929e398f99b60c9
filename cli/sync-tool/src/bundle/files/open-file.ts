import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';

// The flags for not following links and not waiting for pipes exist only on some systems.
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Returns the reason why a file could not be opened or read, for the operator. */
export const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'is missing';
  if (code === 'EACCES' || code === 'EPERM') return `cannot be read: no permission (${code})`;
  return `cannot be read (${code})`;
};

const openReal = async (real: string): Promise<FileHandle | string> => {
  // Checks the type before opening, because opening a device may have an effect.
  if (!(await lstat(real)).isFile()) return 'is a folder or device, not a file';
  const handle = await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  return 'is a folder or device, not a file';
};

/**
 * Opens a file of a bundle for reading. Follows links as long as they stay below the folder.
 * @param root the real path of the bundle
 * @param path safe and relative to it
 * @returns the open file, or the reason why it cannot be opened, to be appended to its name
 */
const openInside = async (root: string, path: string): Promise<FileHandle | string> => {
  try {
    const real = await realpath(join(root, path));
    if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) return 'is a link that leaves the bundle';
    return await openReal(real);
  } catch (error) {
    return reasonOf(error);
  }
};

const same = (one: BigIntStats, other: BigIntStats): boolean =>
  one.size === other.size && one.mtimeNs === other.mtimeNs && one.ctimeNs === other.ctimeNs;

/** An open file that detects changes since it was opened. */
export class WatchedFile {
  readonly #handle: FileHandle;
  readonly #before: BigIntStats;
  readonly size: number;

  private constructor(handle: FileHandle, before: BigIntStats) {
    this.#handle = handle;
    this.#before = before;
    this.size = Number(before.size);
  }

  static async of(handle: FileHandle): Promise<WatchedFile> {
    return new WatchedFile(handle, await handle.stat({ bigint: true }));
  }

  /** Reads from a position, or by default from the end of the previous read, up to the size of the buffer; returns 0 at the end. */
  async read(buffer: Buffer, from: number | null = null): Promise<number> {
    return (await this.#handle.read(buffer, 0, buffer.length, from)).bytesRead;
  }

  async isChanged(): Promise<boolean> {
    return !same(this.#before, await this.#handle.stat({ bigint: true }));
  }
}

/**
 * Opens a file of a bundle, uses it and closes it.
 * @param root the real path of the bundle
 * @param path safe and relative to it
 * @param onProblem called with the reason why the file could not be opened or read, to be appended to its name
 */
export const withFile = async (
  root: string,
  path: string,
  onProblem: (problem: string) => void,
  use: (file: WatchedFile) => Promise<void>,
): Promise<void> => {
  const handle = await openInside(root, path);
  if (typeof handle === 'string') return onProblem(handle);
  try {
    await use(await WatchedFile.of(handle));
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    onProblem(reasonOf(error));
  } finally {
    await handle.close();
  }
};

/** Reads the bytes of a small file; at most one byte more than its size when it was opened. */
export const readBytes = async (file: WatchedFile): Promise<Buffer> => {
  const buffer = Buffer.alloc(file.size + 1);
  let held = 0;
  while (held < buffer.length) {
    const count = await file.read(buffer.subarray(held));
    if (count === 0) break;
    held += count;
  }
  return buffer.subarray(0, held);
};
