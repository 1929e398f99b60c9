import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Failure } from './protocol.ts';

/** A smaller file is checked at every start, before it is used, which takes no noticeable time. */
const smallBytes = 16 * 1_048_576;

/** Exists beside a file until its check is complete; contains the damage once one was found. */
const noteOf = (path: string): string => `${path}.unchecked`;

const noteAt = (path: string): string | undefined =>
  existsSync(noteOf(path)) ? readFileSync(noteOf(path), 'utf8') : undefined;

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** The last process that closes a file removes the journal, so its owner did not close this one. */
const endedUncleanly = (path: string): boolean => sizeOf(`${path}-wal`) > 0;

/**
 * When a file must be checked: `before` it is used, `beside` its use, or not at all. A damaged file is not used again before a check succeeds.
 */
export const checkDue = (path: string): 'before' | 'beside' | 'never' => {
  const note = noteAt(path);
  if (note || sizeOf(path) <= smallBytes) return 'before';
  return note !== undefined || endedUncleanly(path) ? 'beside' : 'never';
};

/** Notes that a check is due until it succeeds, or the damage of the file. */
export const noteUnchecked = (path: string, problem = ''): void => writeFileSync(noteOf(path), problem);

/** Notes that a check is due for a file that its owner did not close. */
export const noteUnclosed = (path: string): void => {
  if (noteAt(path) === undefined && endedUncleanly(path)) noteUnchecked(path);
};

/** Reads every page. The note remains until the file is known to be intact. */
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
