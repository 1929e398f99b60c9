import { isRelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import { openSqlite, type SqliteFile, type SqlRow, type SqlValue } from '@ranger-relay/sqlite';
import { schema } from './schema.ts';

/** Offsets (both inclusive) of which nothing could be read; some of them may never have had a record. */
export interface LostRange {
  readonly from: number;
  readonly to: number;
}

/** Result of the salvage of a damaged file. */
export interface Salvage {
  readonly records: number;
  readonly lost: readonly LostRange[];
  /** Tables of which some rows could not be read; empty when none. */
  readonly incomplete: readonly ('slots' | 'offsets')[];
}

/** Offsets read in one query. */
const step = 500;

const insert = 'INSERT OR IGNORE INTO records (offset, slot, at, key, headers, value) VALUES (?, ?, ?, ?, ?, ?)';
const select = `SELECT offset, slot, at, key, headers, value FROM records NOT INDEXED WHERE offset BETWEEN ? AND ?`;

const numberOf = async (file: SqliteFile, sql: string): Promise<number> => {
  try {
    const [row] = await file.read(sql);
    return Number(row?.['n'] ?? 0);
  } catch (error) {
    if (isRelayError(error, 'store_damaged')) return 0;
    throw error;
  }
};

/** The highest offset in any readable part of the file. */
const lastOffset = async (file: SqliteFile): Promise<number> =>
  Math.max(
    await numberOf(file, `SELECT seq AS n FROM sqlite_sequence WHERE name = 'records'`),
    await numberOf(file, `SELECT max(offset) AS n FROM records NOT INDEXED`),
    await numberOf(file, `SELECT max(next) - 1 AS n FROM offsets`),
  );

const valuesOf = (row: SqlRow): readonly SqlValue[] =>
  ['offset', 'slot', 'at', 'key', 'headers', 'value'].map((column) => row[column] ?? null);

const isWhole = (row: SqlRow): boolean =>
  Number.isInteger(row['slot']) &&
  Number.isInteger(row['at']) &&
  typeof row['key'] === 'string' &&
  row['value'] instanceof Uint8Array;

/** Copies the records of a range; halves it around unreadable parts. */
const copyRange = async (from: SqliteFile, to: SqliteFile, range: LostRange, lost: LostRange[]): Promise<number> => {
  try {
    const rows = (await from.read(select, [range.from, range.to])).filter(isWhole);
    if (rows.length > 0) await to.write([{ sql: insert, params: rows.map(valuesOf) }]);
    return rows.length;
  } catch (error) {
    if (!isRelayError(error, 'store_damaged')) throw error;
  }
  if (range.from === range.to) {
    lose(lost, range);
    return 0;
  }
  const middle = Math.floor((range.from + range.to) / 2);
  return (
    (await copyRange(from, to, { from: range.from, to: middle }, lost)) +
    (await copyRange(from, to, { from: middle + 1, to: range.to }, lost))
  );
};

const lose = (lost: LostRange[], range: LostRange): void => {
  const before = lost.at(-1);
  if (before && before.to + 1 === range.from) lost[lost.length - 1] = { from: before.from, to: range.to };
  else lost.push(range);
};

/** Copies a small table row by row; true when every row could be read. */
const copyTable = async (
  from: SqliteFile,
  to: SqliteFile,
  table: string,
  columns: readonly string[],
): Promise<boolean> => {
  const into = `INSERT OR REPLACE INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
  for (let at = 0; ; at += 1) {
    try {
      const [row] = await from.read(`SELECT ${columns.join(', ')} FROM ${table} LIMIT 1 OFFSET ?`, [at]);
      if (!row) return true;
      await to.write([{ sql: into, params: [columns.map((column) => row[column] ?? null)] }]);
    } catch (error) {
      if (isRelayError(error, 'store_damaged')) return false;
      throw error;
    }
  }
};

/** Number of offsets that stay unused after a damaged file: its highest offset may be lost, and groups may have passed it. */
const margin = 1_000_000;

/** Makes new records get offsets after `last`. */
const reserve = async (to: SqliteFile, last: number): Promise<void> => {
  await to.write([
    { sql: `DELETE FROM sqlite_sequence WHERE name = 'records'`, params: [[]] },
    { sql: `INSERT INTO sqlite_sequence (name, seq) VALUES ('records', ?)`, params: [[last]] },
  ]);
};

const copyAll = async (from: SqliteFile, to: SqliteFile): Promise<Salvage> => {
  const slots = await copyTable(from, to, 'slots', ['slot', 'topic', 'partition']);
  const offsets = await copyTable(from, to, 'offsets', ['reader', 'slot', 'next', 'announced', 'done']);
  const last = await lastOffset(from);
  const lost: LostRange[] = [];
  let records = 0;
  for (let at = 1; at <= last; at += step)
    records += await copyRange(from, to, { from: at, to: Math.min(last, at + step - 1) }, lost);
  await reserve(to, lost.length === 0 ? last : last + margin);
  const incomplete = [...(slots ? [] : ['slots' as const]), ...(offsets ? [] : ['offsets' as const])];
  return { records, lost, incomplete };
};

/**
 * Copies every readable record, topic and offset of a damaged `bus.sqlite` into a new file; the damaged one stays
 * unchanged. Offsets keep their numbers, so that groups continue where they were.
 * @throws RelayError `store_damaged` when not even the list of tables can be read, `store_full`, `data_dir_unusable`
 */
export const salvageBus = async (from: string, to: string, clock: Clock): Promise<Salvage> => {
  const damaged = await openSqlite({ path: from, schema: [], readOnly: true, clock });
  try {
    await damaged.read('SELECT count(*) FROM sqlite_schema');
    const fresh = await openSqlite({ path: to, schema, clock });
    try {
      return await copyAll(damaged, fresh);
    } finally {
      await fresh.close();
    }
  } finally {
    await damaged.close();
  }
};
