import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { checkDue, checkPages, noteUnchecked } from './integrity.ts';
import { type Failure, failureOf, type OpenRequest } from './protocol.ts';

const magic = 'SQLite format 3\0';

/** How long a statement waits for the lock of another process, ms. */
const busyMs = 5_000;

const headOf = (path: string): string => {
  const handle = openSync(path, 'r');
  try {
    const head = Buffer.alloc(magic.length);
    return head.toString('latin1', 0, readSync(handle, head, 0, head.length, 0));
  } finally {
    closeSync(handle);
  }
};

const missing: Failure = { kind: 'missing', problem: 'the file does not exist' };

const headFailure = ({ path, readOnly, beside }: OpenRequest): Failure | null => {
  const mustExist = readOnly === true || beside === true;
  if (!existsSync(path)) return mustExist ? missing : null;
  const head = headOf(path);
  if (head === '') return mustExist ? missing : null;
  return head === magic ? null : { kind: 'damaged', problem: 'it is not a database file' };
};

/** On macOS only a full sync reaches the disk; elsewhere it equals a plain one. */
const settings = (maxPages?: number): string => `
  PRAGMA synchronous = FULL;
  PRAGMA fullfsync = ON;
  PRAGMA checkpoint_fullfsync = ON;
  PRAGMA foreign_keys = OFF;
  PRAGMA temp_store = MEMORY;
  PRAGMA wal_autocheckpoint = 2000;
  PRAGMA journal_size_limit = 33554432;
  ${maxPages === undefined ? '' : `PRAGMA max_page_count = ${Math.trunc(maxPages)};`}`;

/** Begins the journal anew where it is: neither a small write nor this needs more room on the disk then. */
export const restartJournal = (db: DatabaseSync): void => db.exec('PRAGMA wal_checkpoint(RESTART)');

/** Leaves free pages in the file, and a journal that has held as many. */
const reserve = (db: DatabaseSync, bytes: number): void => {
  db.exec(`CREATE TABLE reserve (room BLOB); INSERT INTO reserve VALUES (zeroblob(${Math.trunc(bytes)}))`);
  db.exec('DROP TABLE reserve');
  restartJournal(db);
};

const prepare = (db: DatabaseSync, { schema, reserveBytes }: OpenRequest): void => {
  db.exec('PRAGMA journal_mode = WAL');
  db.exec('BEGIN IMMEDIATE');
  for (const statement of schema) db.exec(statement);
  db.exec('COMMIT');
  if (reserveBytes !== undefined) reserve(db, reserveBytes);
};

/** An open file; `unchecked` when its pages must be checked while it is used. */
export interface OpenedDatabase {
  readonly db: DatabaseSync;
  readonly unchecked: boolean;
}

const setUp = (db: DatabaseSync, request: OpenRequest): Failure | boolean => {
  const { path, check, readOnly, beside, maxPages } = request;
  db.exec(settings(maxPages));
  if (check) return checkPages(db, path) ?? false;
  if (readOnly || beside) return false;
  const due = checkDue(path);
  const failure = due === 'before' ? checkPages(db, path) : null;
  if (failure) return failure;
  if (due === 'beside') noteUnchecked(path);
  prepare(db, request);
  return due === 'beside';
};

/** Opens the file after checking its header; the owner also checks its integrity and creates the schema. */
export const openDatabase = (request: OpenRequest): OpenedDatabase | Failure => {
  let db: DatabaseSync | undefined;
  try {
    const headProblem = headFailure(request);
    if (headProblem) return headProblem;
    db = new DatabaseSync(request.path, { readOnly: request.readOnly ?? false, timeout: busyMs });
    const found = setUp(db, request);
    if (typeof found === 'boolean') return { db, unchecked: found };
    db.close();
    return found;
  } catch (error) {
    db?.close();
    return db ? failureOf(error) : unopened(error);
  }
};

/** A file system error before SQLite opened the file concerns the path. */
const unopened = (error: unknown): Failure => {
  const failure = failureOf(error);
  return failure.kind === 'other' ? { ...failure, kind: 'unusable' } : failure;
};
