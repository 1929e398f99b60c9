/** A value SQLite stores. Integers beyond 2^53 travel as bigint. */
export type SqlValue = null | number | bigint | string | Uint8Array;

/** One result row by column name. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** One statement run once per parameter list, in order. */
export interface SqlWrite {
  readonly sql: string;
  readonly params: readonly (readonly SqlValue[])[];
}

/** Options of a query. */
export interface SqlReadOptions {
  /** Default 30 s. */
  readonly deadlineMs?: number;
  /** Stops after the row that brings the result's blobs and texts to so many bytes; at least one row comes. */
  readonly maxBytes?: number;
}

/** One SQLite file, owned by a worker thread of its own, so that the event loop never waits for the disk. */
export interface SqliteFile {
  /**
   * One all-or-nothing unit: resolves with the rows of every run (RETURNING) once they are on disk. Units that wait at the same time share
   * a transaction and its fsync; a unit that fails takes no other with it. A unit whose deadline (default 30 s) passes before it was begun is dropped.
   * @throws RelayError `store_full`, `store_damaged`, `store_closed`, `deadline_exceeded` (the unit may still be stored), or the SQLite error
   *   as cause of `internal`
   */
  write(unit: readonly SqlWrite[], options?: { deadlineMs?: number }): Promise<readonly (readonly SqlRow[])[]>;
  /** Rows of a query on committed data; sees every write that was called before it. */
  read(sql: string, params?: readonly SqlValue[], options?: SqlReadOptions): Promise<readonly SqlRow[]>;
  /** False after the worker has died or was closed; calls then reject. */
  alive(): boolean;
  /** Finishes what was accepted, then closes the file. */
  close(): Promise<void>;
}

/** How to open a file. */
export interface SqliteOptions {
  readonly path: string;
  /** Statements that create tables and indexes when they are missing; run once at opening. */
  readonly schema: readonly string[];
  /** Opens beside another process without creating or checking anything. */
  readonly readOnly?: boolean;
  /** Opens an existing file beside its owner for reading and writing, without creating or checking anything. */
  readonly beside?: boolean;
  /** What a person can do about a damaged file, as the end of a sentence. */
  readonly remedy?: string;
  /** Most pages (4 KiB) that the file may grow to, as a full disk would bound it. */
  readonly maxPages?: number;
}
