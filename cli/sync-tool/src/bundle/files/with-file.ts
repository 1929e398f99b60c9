import { openInside, reasonOf } from './open-inside.ts';
import { WatchedFile } from './watched-file.ts';

/**
 * Opens a file of a bundle, uses it and closes it again.
 * @param root the real path of the bundle
 * @param path safe and relative to it
 * @param onProblem is told why the file could not be opened or read, to be put behind its name
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
