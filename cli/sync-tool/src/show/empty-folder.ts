import { readdir } from 'node:fs/promises';
import { RelayError } from '@ranger-relay/errors';

const refuse = (path: string, why: string): RelayError =>
  new RelayError('usage', { details: { problem: `${path} ${why}; name a new folder or an empty one` } });

/** Makes sure that nothing would be overwritten in a folder; one that does not exist is fine. @throws RelayError `usage` */
export const checkEmpty = async (path: string): Promise<void> => {
  const names = await readdir(path).catch(({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'ENOENT') return [];
    throw refuse(path, code === 'ENOTDIR' ? 'is not a folder' : `cannot be read (${message})`);
  });
  if (names.length > 0) throw refuse(path, 'is not empty');
};
