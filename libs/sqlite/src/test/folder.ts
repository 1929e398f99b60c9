import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { systemClock } from '@ranger-relay/runtime';
import { openSqlite, type OpenOptions } from '../open-sqlite.ts';
import type { SqliteFile, SqlWrite } from '../port.ts';

/** A table of texts that must differ. */
export const schema = ['CREATE TABLE IF NOT EXISTS words (id INTEGER PRIMARY KEY AUTOINCREMENT, word TEXT UNIQUE)'];

/** A path in a folder that goes with the test. */
export const temporaryPath = async (t: ExecutionContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'relay-sqlite-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'test.sqlite');
};

/** Opens a file that is closed when the test ends. */
export const opened = async (t: ExecutionContext, options: Partial<OpenOptions> = {}): Promise<SqliteFile> => {
  const path = options.path ?? (await temporaryPath(t));
  const file = await openSqlite({ schema, clock: systemClock, ...options, path });
  t.teardown(() => file.close());
  return file;
};

/** Inserts words, one run each. */
export const insert = (...words: readonly string[]): SqlWrite => ({
  sql: 'INSERT INTO words (word) VALUES (?)',
  params: words.map((word) => [word]),
});

/** All words in the order of their ids. */
export const wordsOf = async (file: SqliteFile): Promise<readonly string[]> =>
  (await file.read('SELECT word FROM words ORDER BY id')).map(({ word }) => word as string);
