import type { Shell } from '@ranger-relay/terminal';
import { readBundle, type Bundle } from '../bundle/index.ts';

/** Reads a bundle and shows on a terminal how far that is. @throws RelayError `bundle_invalid` */
export const readShown = async (shell: Shell, path: string): Promise<Bundle> => {
  const bundle = await readBundle(path, {
    onProgress({ file, bytes, totalBytes }) {
      if (shell.interactive) shell.progress(`Reading ${file}: ${Math.floor((bytes / (totalBytes || 1)) * 100)} %`);
    },
  });
  shell.progress('');
  return bundle;
};
