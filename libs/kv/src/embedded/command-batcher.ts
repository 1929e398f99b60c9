import { RelayError } from '@ranger-relay/errors';
import type { SqlRow, SqlValue, SqlWrite } from '@ranger-relay/sqlite';

type Rows = readonly SqlRow[];

interface Call {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  readonly resolve: (rows: Rows) => void;
  readonly reject: (error: unknown) => void;
}

/** Collects the calls of one turn of the event loop into a unit that runs them in order. */
export interface CommandBatcher {
  /** Runs a statement and returns its rows. */
  run(sql: string, params: readonly SqlValue[]): Promise<Rows>;
  /** Resolves when no call waits; refuses later calls. */
  close(): Promise<void>;
}

/** Runs one unit, all or nothing; returns the rows of every run in order. */
export type Carry = (unit: readonly SqlWrite[]) => Promise<readonly Rows[]>;

const unavailable = (reason: string): RelayError => new RelayError('kv_unavailable', { details: { reason } });

/** Combines consecutive calls of one statement into one entry of the unit. */
const unitOf = (calls: readonly Call[]): SqlWrite[] => {
  const unit: { sql: string; params: (readonly SqlValue[])[] }[] = [];
  for (const { sql, params } of calls) {
    const last = unit.at(-1);
    if (last?.sql === sql) last.params.push(params);
    else unit.push({ sql, params: [params] });
  }
  return unit;
};

/**
 * Creates the batcher. A unit runs in the microtask after its first call; a failing unit rejects its own calls. At most `maxWaiting` calls wait;
 * more are refused with `kv_unavailable`.
 */
export const createCommandBatcher = (carry: Carry, maxWaiting: number): CommandBatcher => {
  const underWay = new Set<Promise<void>>();
  let calls: Call[] = [];
  let waiting = 0;
  let closed = false;

  const leave = async (): Promise<void> => {
    const leaving = calls;
    calls = [];
    try {
      const rows = await carry(unitOf(leaving));
      leaving.forEach((call, index) => call.resolve(rows[index] ?? []));
    } catch (error) {
      for (const call of leaving) call.reject(error);
    } finally {
      waiting -= leaving.length;
    }
  };

  const schedule = (): void => {
    const done = Promise.resolve().then(leave);
    underWay.add(done);
    void done.finally(() => underWay.delete(done));
  };

  return {
    run(sql, params) {
      if (closed) return Promise.reject(unavailable('it is closed'));
      if (waiting >= maxWaiting) return Promise.reject(unavailable(`${waiting} calls are already waiting`));
      waiting += 1;
      if (calls.length === 0) schedule();
      return new Promise((resolve, reject) => calls.push({ sql, params, resolve, reject }));
    },
    async close() {
      closed = true;
      await Promise.all(underWay);
    },
  };
};
