import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SqlRow, SqlValue } from './port.ts';

/** A prepared statement. */
export interface Statement {
  /** Runs the statement to its end; `wide` also reads integers beyond 2^53. */
  run(params: readonly SqlValue[], wide: boolean): readonly SqlRow[];
  /** Rows up to the one with which their size reaches `maxBytes`. */
  page(params: readonly SqlValue[], wide: boolean, maxBytes: number): readonly SqlRow[];
}

/** Prepared statements by their text. */
export interface Statements {
  get(sql: string): Statement;
}

const none: readonly SqlRow[] = [];
const kept = 200;

/** Whether a result had an integer beyond 2^53 although `wide` was false. */
export const isTooBig = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === 'ERR_OUT_OF_RANGE';

const narrow = (value: SqlValue): SqlValue =>
  typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;

const narrowRow = (row: SqlRow): SqlRow =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, narrow(value)]));

const sizeOf = (row: SqlRow): number => {
  let size = 0;
  for (const name in row) {
    const value = row[name];
    if (value instanceof Uint8Array) size += value.byteLength;
    else if (typeof value === 'string') size += value.length;
  }
  return size;
};

const finish = (rows: readonly SqlRow[], wide: boolean): readonly SqlRow[] => (wide ? rows.map(narrowRow) : rows);

const wrap = (prepared: StatementSync): Statement => {
  const hasRows = prepared.columns().length > 0;
  return {
    run(params, wide) {
      if (!hasRows) {
        prepared.run(...params);
        return none;
      }
      prepared.setReadBigInts(wide);
      return finish(prepared.all(...params), wide);
    },
    page(params, wide, maxBytes) {
      prepared.setReadBigInts(wide);
      const rows: SqlRow[] = [];
      let bytes = 0;
      for (const row of prepared.iterate(...params)) {
        rows.push(row);
        bytes += sizeOf(row);
        if (bytes >= maxBytes) break;
      }
      return finish(rows, wide);
    },
  };
};

/** Prepares each text once and keeps the last 200 statements. */
export const createStatements = (db: DatabaseSync): Statements => {
  const made = new Map<string, Statement>();
  return {
    get(sql) {
      const known = made.get(sql);
      if (known) return known;
      const statement = wrap(db.prepare(sql));
      made.set(sql, statement);
      const oldest = made.keys().next();
      if (made.size > kept && !oldest.done) made.delete(oldest.value);
      return statement;
    },
  };
};
