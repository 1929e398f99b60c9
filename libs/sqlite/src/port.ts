/** A value of SQLite. Integers beyond 2^53 are bigint. */
export type SqlValue = null | number | bigint | string | Uint8Array;

/** One result row by column name. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** A statement that runs once per parameter list, in order. */
export interface SqlWrite {
  readonly sql: string;
  readonly params: readonly (readonly SqlValue[])[];
}

/** Options of a query. */
export interface SqlReadOptions {
  /** Default 30 s. */
  readonly deadlineMs?: number;
  /** Stops after the row with which the blobs and texts of the result reach this size; returns at least one row. */
  readonly maxBytes?: number;
}

/** One SQLite file in its own worker thread, so that the event loop never waits for the disk. */
export interface SqliteFile {
  /**
   * Runs one unit, all or nothing; resolves with the rows of every run (RETURNING) once they are on disk. Waiting units share a transaction and
   * its fsync; a failing unit does not affect the others. A unit whose deadline (default 30 s) passes before it begins is dropped.
   * @throws RelayError `store_full`, `store_damaged`, `store_closed`, `deadline_exceeded` (the unit may still be stored), or the SQLite error as
   *   cause of `internal`
   */
  write(unit: readonly SqlWrite[], options?: { deadlineMs?: number }): Promise<readonly (readonly SqlRow[])[]>;
  /** Queries committed data; sees every write that was called before. */
  read(sql: string, params?: readonly SqlValue[], options?: SqlReadOptions): Promise<readonly SqlRow[]>;
  /** False after the worker died or was closed; calls then reject. */
  alive(): boolean;
  /** Finishes the accepted calls, then closes the file. */
  close(): Promise<void>;
}

/** Options of opening a file. */
export interface SqliteOptions {
  readonly path: string;
  /** Statements that create missing tables and indexes; run once when the file is opened. */
  readonly schema: readonly string[];
  /** Opens the file of another process without creating or checking anything. */
  readonly readOnly?: boolean;
  /** Opens the existing file of another process for reading and writing, without creating or checking anything. */
  readonly beside?: boolean;
  /** What an operator can do about a damaged file, as the end of a sentence. */
  readonly remedy?: string;
  /** Room that the owner reserves in the file and its journal, so that small writes succeed on a full disk. */
  readonly reserveBytes?: number | undefined;
  /** Maximum number of pages (4 KiB) of the file, to simulate a full disk. */
  readonly maxPages?: number;
}
