import type { SqliteFile, SqlRow } from '@ranger-relay/sqlite';
import type { Page } from '../consume/partition.ts';
import { type BusRecord, type LastRecords, publishedAt } from '../port.ts';

/** One partition in the file. */
export interface SlotRef {
  readonly topic: string;
  readonly partition: number;
  readonly slot: number;
}

/** A range of records of a slot. */
export interface Range {
  readonly from: bigint;
  /** Exclusive; default: no limit. */
  readonly before?: bigint | null;
  readonly maxRecords: number;
  readonly maxBytes: number;
}

const select = `SELECT offset, at, key, headers, value FROM records
  WHERE slot = ? AND offset >= ? AND offset < ? ORDER BY offset LIMIT ?`;

/** Greater than every offset of SQLite. */
const endless = 2n ** 63n - 1n;

const noHeaders: Readonly<Record<string, string>> = Object.freeze({});

const headersOf = (text: string | null): Readonly<Record<string, string>> =>
  text === null ? noHeaders : (JSON.parse(text) as Record<string, string>);

const recordOf = ({ topic, partition }: SlotRef, row: SqlRow): BusRecord => {
  const headers = headersOf(row['headers'] as string | null);
  return {
    topic,
    partition,
    offset: BigInt(row['offset'] as number | bigint),
    key: row['key'] as string,
    value: row['value'] as Uint8Array,
    headers,
    timestamp: publishedAt(headers, row['at'] as number),
  };
};

/** Size that the file counts towards `maxBytes`. */
const sizeOf = (row: SqlRow): number =>
  (row['value'] as Uint8Array).byteLength +
  (row['key'] as string).length +
  ((row['headers'] as string | null)?.length ?? 0);

/** Reads one page of a slot, in order: at least one record, whatever its size. */
export const readPage = async (file: SqliteFile, ref: SlotRef, range: Range): Promise<Page> => {
  const { from, before, maxRecords, maxBytes } = range;
  const rows = await file.read(select, [ref.slot, from, before ?? endless, maxRecords], { maxBytes });
  const bytes = rows.reduce((sum, row) => sum + sizeOf(row), 0);
  return { records: rows.map((row) => recordOf(ref, row)), exhausted: rows.length < maxRecords && bytes < maxBytes };
};

/** Compares the last record of each slot with `time`, ms since 1970. */
export const lastRecords = async (file: SqliteFile, slots: readonly number[], time: number): Promise<LastRecords> => {
  const last = 'SELECT at FROM records WHERE slot = ? ORDER BY offset DESC LIMIT 1';
  const rows = (await Promise.all(slots.map((slot) => file.read(last, [slot])))).flat();
  return { partitions: rows.length, newer: rows.map((row) => Number(row['at'])).filter((at) => at > time) };
};

/** The offset behind the last record of the file. */
export const endOffset = async (file: SqliteFile): Promise<bigint> => {
  const [row] = await file.read('SELECT max(offset) AS last FROM records');
  return BigInt((row?.['last'] as number | null) ?? 0) + 1n;
};

/** Offset of the first record of a slot that was published at `time` (ms since 1970) or later; null when there is none. */
export const offsetSince = async (file: SqliteFile, slot: number, time: number): Promise<bigint | null> => {
  const [row] = await file.read('SELECT min(offset) AS first FROM records WHERE slot = ? AND at >= ?', [slot, time]);
  const first = row?.['first'] as number | null | undefined;
  return first === null || first === undefined ? null : BigInt(first);
};

/** The first record of a slot before an offset, and the number of such records. */
export const recordsBefore = async (
  file: SqliteFile,
  slot: number,
  offset: bigint,
): Promise<{ first: bigint; records: number }> => {
  const [row] = await file.read(
    'SELECT coalesce(min(offset), 0) AS first, count(*) AS records FROM records WHERE slot = ? AND offset < ?',
    [slot, offset],
  );
  return { first: BigInt(row?.['first'] as number), records: row?.['records'] as number };
};
