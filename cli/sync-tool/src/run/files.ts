import { access, constants, mkdir, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { RelayError } from '@ranger-relay/errors';

/** A moment in names of files: `20260131T140311Z`. */
export const stampOf = (ms: number): string =>
  new Date(ms)
    .toISOString()
    .replaceAll(/[-:]/g, '')
    .replace(/\.\d+Z$/, 'Z');

const prefix = 'patrol-datamodel-run-';

/** Names of the files of one run, side by side. */
export interface RunFiles {
  readonly record: string;
  readonly journal: string;
  readonly formBefore: string;
}

/** The files that belong to a record. */
export const filesOf = (record: string): RunFiles => {
  const base = record.replace(/\.json$/, '');
  return { record, journal: `${base}.journal.jsonl`, formBefore: `${base}.form-before.json` };
};

/** Names for a run that starts now; another run of the same second has taken its name already. */
export const newRunFiles = async (folder: string, now: number): Promise<RunFiles> => {
  const taken = new Set(await readdir(folder));
  let at = now;
  while (taken.has(`${prefix}${stampOf(at)}.json`)) at += 1_000;
  return filesOf(join(folder, `${prefix}${stampOf(at)}.json`));
};

/** Where the checklist goes: beside the bundle's folder, unless it was named. */
export const checklistPath = (bundle: string, named: string | undefined): string =>
  named ?? join(dirname(bundle), 'checklist.md');

/** Makes sure that checklist and record can be written. @throws RelayError `output_not_writable` */
export const checkOutput = async (checklist: string): Promise<void> => {
  const folder = dirname(checklist);
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK | constants.X_OK);
    const there = await stat(checklist).catch(() => undefined);
    if (there?.isDirectory()) throw new Error(`${basename(checklist)} is a folder`);
    if (there) await access(checklist, constants.W_OK);
  } catch (error) {
    throw new RelayError('output_not_writable', { details: { path: folder, reason: (error as Error).message } });
  }
};

/** Folder of a checklist: records and lock lie there too. */
export const folderOf = (checklist: string): string => dirname(checklist);
