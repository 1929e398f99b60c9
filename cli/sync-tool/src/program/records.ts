import { basename, join, resolve } from 'node:path';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import { printable } from '@ranger-relay/terminal';
import { isUndoableName, recordOrder } from '../run/files.ts';
import type { Disk, SyncShell } from '../run/machine.ts';
import { isUnfinished, type RecordHead } from '../run/importer-record.ts';
import { beganNothing, readRecordHead } from '../run/record.ts';
import { reasonOf } from '../bundle/files/read-lines.ts';
import type { Note } from '../summary/write.ts';

/** The newest record of a folder. */
interface Newest {
  readonly path: string;
  readonly folder: string;
  /** Number of records of the site in the folder. */
  readonly of: number;
  /** Paths of the others whose run did not finish, was not undone, and with which no other went on. */
  readonly unfinished: readonly string[];
}

const isFolder = async (disk: Disk, path: string): Promise<boolean> =>
  (await disk.stat(path).catch(() => undefined))?.isDirectory() ?? false;

const namesIn = async (disk: Disk, folder: string): Promise<string[]> => {
  const names = await disk.readdir(folder).catch((error: unknown) => {
    throw new RelayError('record_invalid', { details: { path: folder, reason: `it ${reasonOf(error)}` } });
  });
  return names.filter(isUndoableName).toSorted((a, b) => (recordOrder(a) < recordOrder(b) ? 1 : -1));
};

const recordsIn = async (disk: Disk, folder: string, host: string): Promise<{ path: string; record: RecordHead }[]> => {
  const found: { path: string; record: RecordHead }[] = [];
  for (const name of await namesIn(disk, folder)) {
    const path = join(folder, name);
    const record = await readRecordHead(disk, path).catch(async (error: unknown) => {
      if (isRelayError(error) && (found.length > 0 || (await beganNothing(disk, path)))) return undefined;
      throw error;
    });
    if (record?.site === host) found.push({ path, record });
  }
  return found;
};

/**
 * Returns the newest record of a site in a folder, even if it was undone since, so that a repeated call acts on the same record.
 * @throws RelayError `record_missing`; `record_ambiguous` for records of several areas; `record_invalid` when the newest cannot be read
 */
const newestIn = async (disk: Disk, folder: string, host: string): Promise<Newest> => {
  const found = await recordsIn(disk, folder, host);
  const [newest] = found;
  if (!newest) throw new RelayError('record_missing', { details: { folder, site: host } });
  const areas = Map.groupBy(found, ({ record }) => record.conservation_area.id);
  if (areas.size > 1) {
    const candidates = [...areas].map(([area, [{ path } = newest]]) => `${path} (area ${area})`).join(', ');
    throw new RelayError('record_ambiguous', { details: { folder, candidates } });
  }
  const continued = new Set(found.map(({ record }) => record.continues));
  const unfinished = found
    .slice(1)
    .filter(({ path, record }) => isUnfinished(record) && !continued.has(basename(path)));
  return { path: newest.path, folder, of: found.length, unfinished: unfinished.map(({ path }) => path) };
};

/**
 * Resolves the paths of records; a folder resolves to its newest record.
 * @param onTaken called with the record chosen for a folder
 */
const recordPaths = (
  disk: Disk,
  paths: readonly string[],
  host: string,
  onTaken: (newest: Newest) => void,
): Promise<string[]> =>
  Promise.all(
    paths.map(async (path) => {
      if (!(await isFolder(disk, path))) return resolve(path);
      const newest = await newestIn(disk, resolve(path), host);
      onTaken(newest);
      return newest.path;
    }),
  );

/** Resolves the records that a call names. Prints the chosen record for each folder; the summary contains the first record. */
export const namedRecords = async (
  shell: SyncShell,
  named: readonly string[],
  host: string,
  note: Note,
): Promise<string[]> => {
  const records = await recordPaths(shell.machine.disk, named, host, ({ path, folder, of, unfinished }) => {
    shell.err(printable(`Run record: ${path}, the newest of ${of} in ${folder}`));
    for (const each of unfinished)
      shell.err(
        printable(`Warning: the run recorded in ${each} did not finish, and this call leaves it; name its record too`),
      );
  });
  const [first] = records;
  if (first !== undefined) note({ record: basename(first) });
  return records;
};
