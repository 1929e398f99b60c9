import { constants } from 'node:fs';
import { lstat, open, realpath, type FileHandle } from 'node:fs/promises';
import { join, sep } from 'node:path';

// Not following links and not waiting for pipes exist on some systems only.
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Why a file could not be opened or read, for people. */
export const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'is missing';
  if (code === 'EACCES' || code === 'EPERM') return `cannot be read: no permission (${code})`;
  return `cannot be read (${code})`;
};

const openReal = async (real: string): Promise<FileHandle | string> => {
  // Looked at before it is opened, because opening a device can already do something.
  if (!(await lstat(real)).isFile()) return 'is a folder or device, not a file';
  const handle = await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  return 'is a folder or device, not a file';
};

/**
 * Opens a file of a bundle for reading. Links are followed as long as they stay below the folder.
 * @param root the real path of the bundle
 * @param path safe and relative to it
 * @returns the open file, or why there is none, to be put behind its name
 */
export const openInside = async (root: string, path: string): Promise<FileHandle | string> => {
  try {
    const real = await realpath(join(root, path));
    if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) return 'is a link that leaves the bundle';
    return await openReal(real);
  } catch (error) {
    return reasonOf(error);
  }
};
