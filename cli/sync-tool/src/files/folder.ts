import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RelayError } from '@ranger-relay/errors';
import { reasonOf } from '../bundle/files/read-lines.ts';
import { isChecklist } from '../checklist/document.ts';
import { isPlanText, isRunFileName } from '../run/files.ts';

/** A file that a run has left in a folder. */
export interface LeftFile {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

const refused = (path: string, reason: string): RelayError =>
  new RelayError('config_file_invalid', { details: { path, reason } });

/** Checklists and plans have the names that the caller gave them, so they are told by their content. */
const maxReadBytes = 64 * 1024 * 1024;

const isOfRun = async ({ name, path, bytes }: LeftFile): Promise<boolean> => {
  if (isRunFileName(name)) return true;
  const content = bytes > maxReadBytes ? '' : await readFile(path, 'utf8').catch(() => '');
  return isPlanText(content) || isChecklist(content);
};

/**
 * Lists the files directly in a folder that runs have written, by name; no links. Other files are nobody's business here: the token of the
 * site may be one of them.
 * @throws RelayError `config_file_invalid`
 */
export const filesIn = async (folder: string): Promise<readonly LeftFile[]> => {
  const names = await readdir(folder).catch((error: unknown) => {
    throw refused(folder, `it ${reasonOf(error)}`);
  });
  const files: LeftFile[] = [];
  for (const name of names.toSorted()) {
    const path = join(folder, name);
    const stats = await lstat(path).catch(() => undefined);
    if (!stats?.isFile()) continue;
    const file = { name, path, bytes: stats.size, modifiedMs: stats.mtimeMs };
    if (await isOfRun(file)) files.push(file);
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
