import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { failureOf } from './failure.ts';
import type { Failure, OpenRequest } from './protocol.ts';

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

const settings = (maxPages?: number): string => `
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = OFF;
  PRAGMA temp_store = MEMORY;
  PRAGMA wal_autocheckpoint = 2000;
  PRAGMA journal_size_limit = 33554432;
  ${maxPages === undefined ? '' : `PRAGMA max_page_count = ${Math.trunc(maxPages)};`}`;

const checkFailure = (db: DatabaseSync): Failure | null => {
  const found = String(Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {})[0]);
  return found === 'ok' ? null : { kind: 'damaged', problem: found.replaceAll(/\s+/g, ' ').trim().slice(0, 300) };
};

const prepare = (db: DatabaseSync, schema: readonly string[]): void => {
  db.exec('PRAGMA journal_mode = WAL');
  db.exec('BEGIN IMMEDIATE');
  for (const statement of schema) db.exec(statement);
  db.exec('COMMIT');
};

const setUp = (db: DatabaseSync, { schema, readOnly, beside, maxPages }: OpenRequest): Failure | null => {
  db.exec(settings(maxPages));
  if (readOnly || beside) return null;
  const failure = checkFailure(db);
  if (failure === null) prepare(db, schema);
  return failure;
};

/** Opens the file after a look at its header; the owner also checks its pages and creates what the schema names. */
export const openDatabase = (request: OpenRequest): DatabaseSync | Failure => {
  let db: DatabaseSync | undefined;
  try {
    const headProblem = headFailure(request);
    if (headProblem) return headProblem;
    db = new DatabaseSync(request.path, { readOnly: request.readOnly ?? false, timeout: busyMs });
    const failure = setUp(db, request);
    if (failure === null) return db;
    db.close();
    return failure;
  } catch (error) {
    db?.close();
    return db ? failureOf(error) : unopened(error);
  }
};

/** An error of the file system, before SQLite came to see the file, is about the path. */
const unopened = (error: unknown): Failure => {
  const failure = failureOf(error);
  return failure.kind === 'other' ? { ...failure, kind: 'unusable' } : failure;
};
