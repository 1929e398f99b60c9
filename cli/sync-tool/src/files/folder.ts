import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RelayError } from '@ranger-relay/errors';

/** A file that a run has left in a folder. */
export interface LeftFile {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

const refused = (path: string, reason: string): RelayError =>
  new RelayError('config_file_invalid', { details: { path, reason } });

const reasonOf = (error: unknown): string => (error as Error).message;

/**
 * Lists the regular files directly in a folder, by name; no links. Hidden files are internal to the tool.
 * @throws RelayError `config_file_invalid`
 */
export const filesIn = async (folder: string): Promise<readonly LeftFile[]> => {
  const names = await readdir(folder).catch((error: unknown) => {
    throw refused(folder, reasonOf(error));
  });
  const files: LeftFile[] = [];
  for (const name of names.filter((each) => !each.startsWith('.')).toSorted()) {
    const path = join(folder, name);
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isFile()) files.push({ name, path, bytes: stats.size, modifiedMs: stats.mtimeMs });
  }
  return files;
};

const maxNames = 20;

/** Finds one of these files. @throws RelayError `config_file_invalid` naming the existing files */
export const fileNamed = (folder: string, files: readonly LeftFile[], name: string): LeftFile => {
  const found = files.find((file) => file.name === name);
  if (found) return found;
  const known = files.slice(0, maxNames).map((file) => file.name);
  const more = files.length > known.length ? ', …' : '';
  throw refused(join(folder, name), `${folder} holds ${known.length === 0 ? 'no file' : known.join(', ')}${more}`);
};

/** SHA-256 of a file in hex. */
export const sha256Of = async ({ path }: LeftFile): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
};
