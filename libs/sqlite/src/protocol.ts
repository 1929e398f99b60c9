import type { SqliteOptions, SqlRow, SqlValue, SqlWrite } from './port.ts';

/** What the worker is started with. */
export interface OpenRequest extends Omit<SqliteOptions, 'remedy'> {
  /** Checks the pages of a file that another worker has open, and ends. */
  readonly check?: boolean;
}

/** A query as it travels to the worker. */
export interface ReadRequest {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  readonly maxBytes?: number;
}

/** Everything one transaction carries, and the queries that follow it. */
export interface BatchRequest {
  readonly units: readonly (readonly SqlWrite[])[];
  readonly reads: readonly ReadRequest[];
}

/** A failure as it travels: errors lose their fields between threads. */
export interface Failure {
  readonly kind: 'full' | 'damaged' | 'missing' | 'unusable' | 'other';
  readonly problem: string;
}

/** Rows of each run of a unit; null stands for "no run returned rows". */
export type UnitResult = { readonly rows: readonly (readonly SqlRow[])[] | null } | { readonly failure: Failure };

export type ReadResult = { readonly rows: readonly SqlRow[] } | { readonly failure: Failure };

export interface BatchResult {
  readonly units: readonly UnitResult[];
  readonly reads: readonly ReadResult[];
}

/** Main thread to worker. */
export type ToWorker = { readonly kind: 'batch'; readonly batch: BatchRequest } | { readonly kind: 'close' };

/** Worker to main thread; `opened` comes first and once, then one `result` a batch. */
export type FromWorker =
  | { readonly kind: 'opened'; readonly failure: Failure | null; readonly unchecked: boolean }
  | { readonly kind: 'result'; readonly result: BatchResult };
