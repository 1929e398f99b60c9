import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Failure } from './protocol.ts';

/** A file of so many bytes is checked at every start, before it is used: that takes no time that anybody would see. */
const smallBytes = 16 * 1_048_576;

/** Stands beside a file whose check is not over; it holds what was found to be wrong, once something was. */
const noteOf = (path: string): string => `${path}.unchecked`;

const noteAt = (path: string): string | undefined =>
  existsSync(noteOf(path)) ? readFileSync(noteOf(path), 'utf8') : undefined;

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Its owner did not close it: the journal is removed by whoever closes a file last. */
const endedUncleanly = (path: string): boolean => sizeOf(`${path}-wal`) > 0;

/**
 * When a file has to be checked, known before it is opened: `before` it is used, `beside` its use, or not at all.
 * What was found damaged is not used again before a check says that it is whole.
 */
export const checkDue = (path: string): 'before' | 'beside' | 'never' => {
  const note = noteAt(path);
  if (note || sizeOf(path) <= smallBytes) return 'before';
  return note !== undefined || endedUncleanly(path) ? 'beside' : 'never';
};

/** Notes that a check is due until it has ended well, or what is wrong with the file. */
export const noteUnchecked = (path: string, problem = ''): void => writeFileSync(noteOf(path), problem);

/** Reads every page. The note is kept for as long as the file is not known to be whole. */
export const checkPages = (db: DatabaseSync, path: string): Failure | null => {
  const found = String(Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {})[0]);
  if (found === 'ok') {
    rmSync(noteOf(path), { force: true });
    return null;
  }
  const problem = found.replaceAll(/\s+/g, ' ').trim().slice(0, 300);
  noteUnchecked(path, problem);
  return { kind: 'damaged', problem };
};
