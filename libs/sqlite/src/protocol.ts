import type { SqliteOptions, SqlRow, SqlValue, SqlWrite } from './port.ts';

const full = new Set([13]);
const damaged = new Set([11, 26]);
const unusable = new Set([3, 8, 14, 23]);
const fatal = new Set([7, 8, 10, 11, 13, 14, 26]);

/** SQLITE_IOERR_SHMSIZE: no space for the index of the write-ahead log. */
const noRoomForShm = 4874;

const codeOf = (error: unknown): number => {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === 'number' ? code : 0;
};

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 500);

/** Converts an exception of node:sqlite to a failure that can be sent to another thread. */
export const failureOf = (error: unknown): Failure => {
  const code = codeOf(error);
  const primary = code & 0xff;
  const problem = textOf(error);
  if (full.has(primary) || code === noRoomForShm) return { kind: 'full', problem };
  if (damaged.has(primary)) return { kind: 'damaged', problem };
  if (unusable.has(primary)) return { kind: 'unusable', problem };
  return { kind: 'other', problem };
};

/** Whether the disk or the file failed, not the statement: the whole transaction is lost. */
export const isFatal = (error: unknown): boolean => fatal.has(codeOf(error) & 0xff);

/** Options of the worker. */
export interface OpenRequest extends Omit<SqliteOptions, 'remedy'> {
  /** Checks the pages of a file that another worker has open, then exits. */
  readonly check?: boolean;
}

/** A query for the worker. */
export interface ReadRequest {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  readonly maxBytes?: number;
}

/** The units of one transaction, and the queries after it. */
export interface BatchRequest {
  readonly units: readonly (readonly SqlWrite[])[];
  readonly reads: readonly ReadRequest[];
}

/** A failure as a message, because errors lose their members between threads. */
export interface Failure {
  readonly kind: 'full' | 'damaged' | 'missing' | 'unusable' | 'other';
  readonly problem: string;
}

/** Rows of each run of a unit; null when no run returned rows. */
export type UnitResult = { readonly rows: readonly (readonly SqlRow[])[] | null } | { readonly failure: Failure };

export type ReadResult = { readonly rows: readonly SqlRow[] } | { readonly failure: Failure };

export interface BatchResult {
  readonly units: readonly UnitResult[];
  readonly reads: readonly ReadResult[];
}

/** Messages from the main thread to the worker. */
export type ToWorker = { readonly kind: 'batch'; readonly batch: BatchRequest } | { readonly kind: 'close' };

/** Messages from the worker to the main thread: `opened` once, then one `result` per batch. */
export type FromWorker =
  | { readonly kind: 'opened'; readonly failure: Failure | null; readonly unchecked: boolean }
  | { readonly kind: 'result'; readonly result: BatchResult };
