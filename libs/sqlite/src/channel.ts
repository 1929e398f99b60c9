import { RelayError } from '@ranger-relay/errors';
import type { Clock, Timer } from '@ranger-relay/runtime';
import type { SqlWrite } from './port.ts';
import type { BatchRequest, BatchResult, ReadRequest, ReadResult, UnitResult } from './protocol.ts';

/** Deadlines of waiting calls, with a single timer. */
interface Deadlines<T> {
  /** Adds `item` with a deadline in `ms`. */
  add(item: T, ms: number): void;
  /** Removes an answered item. */
  delete(item: T): void;
  /** Removes and returns all items. */
  clear(): readonly T[];
}

/** Creates the deadlines; calls `expire` for each item whose deadline passes. */
export const createDeadlines = <T>(clock: Clock, expire: (item: T) => void): Deadlines<T> => {
  const dues = new Map<T, number>();
  let timer: Timer | undefined;
  let armedFor = Infinity;

  const arm = (due: number): void => {
    timer?.cancel();
    armedFor = due;
    timer = due === Infinity ? undefined : clock.after(Math.max(0, due - clock.monotonic()), sweep);
  };

  const sweep = (): void => {
    const now = clock.monotonic();
    const expired: T[] = [];
    let next = Infinity;
    for (const [item, due] of dues) {
      if (due <= now) expired.push(item);
      else next = Math.min(next, due);
    }
    for (const item of expired) dues.delete(item);
    arm(next);
    for (const item of expired) expire(item);
  };

  return {
    add(item, ms) {
      const due = clock.monotonic() + ms;
      dues.set(item, due);
      if (due < armedFor) arm(due);
    },
    delete: (item) => void dues.delete(item),
    clear() {
      const items = [...dues.keys()];
      dues.clear();
      arm(Infinity);
      return items;
    },
  };
};

/** A call to the worker. */
type Call = { readonly reject: (error: RelayError) => void; readonly ms: number } & (
  | { readonly unit: readonly SqlWrite[]; readonly settle: (result: UnitResult) => void }
  | { readonly read: ReadRequest; readonly settle: (result: ReadResult) => void }
);

/** Collects calls into batches; one batch is in flight while the next fills. */
interface Channel {
  write(unit: readonly SqlWrite[], ms: number): Promise<UnitResult>;
  read(request: ReadRequest, ms: number): Promise<ReadResult>;
  /** Passes the worker's result of the batch in flight. */
  answered(result: BatchResult): void;
  /** Rejects all waiting calls. */
  fail(error: RelayError): void;
  /** Resolves when no call waits. */
  idle(): Promise<void>;
}

/** Limits the size of a message to the worker and the length of a transaction. */
const maxCalls = 1_000;

const requestOf = (calls: readonly Call[]): BatchRequest => ({
  units: calls.flatMap((call) => ('unit' in call ? [call.unit] : [])),
  reads: calls.flatMap((call) => ('read' in call ? [call.read] : [])),
});

/** Creates a channel that passes each batch to `send`. */
export const createChannel = (clock: Clock, send: (batch: BatchRequest) => void): Channel => {
  let queue: Call[] = [];
  let inFlight: readonly Call[] | null = null;
  let scheduled = false;
  let idlers: (() => void)[] = [];
  const waiting = new Set<Call>();

  const deadlines = createDeadlines<Call>(clock, (call) => {
    waiting.delete(call);
    call.reject(new RelayError('deadline_exceeded', { details: { what: 'The store', ms: call.ms }, ambiguous: true }));
  });

  const refuse = (calls: readonly Call[], error: RelayError): void => {
    inFlight = null;
    for (const call of calls) {
      waiting.delete(call);
      deadlines.delete(call);
      call.reject(error);
    }
    schedule();
  };

  const flush = (): void => {
    scheduled = false;
    if (inFlight) return;
    const due = queue.filter((call) => waiting.has(call));
    const batch = due.slice(0, maxCalls);
    queue = due.slice(maxCalls);
    if (batch.length === 0) {
      for (const resolve of idlers) resolve();
      idlers = [];
      return;
    }
    inFlight = batch;
    try {
      send(requestOf(batch));
    } catch (error) {
      refuse(batch, new RelayError('internal', { cause: error }));
    }
  };

  const schedule = (): void => {
    if (scheduled || inFlight) return;
    scheduled = true;
    setImmediate(flush);
  };

  const enqueue = (call: Call): void => {
    queue.push(call);
    waiting.add(call);
    deadlines.add(call, call.ms);
    schedule();
  };

  return {
    write: (unit, ms) => new Promise((settle, reject) => enqueue({ unit, settle, reject, ms })),
    read: (read, ms) => new Promise((settle, reject) => enqueue({ read, settle, reject, ms })),
    answered(result) {
      const calls = inFlight ?? [];
      inFlight = null;
      let unit = 0;
      let read = 0;
      for (const call of calls) {
        waiting.delete(call);
        deadlines.delete(call);
        if ('unit' in call) call.settle(result.units[unit++] as UnitResult);
        else call.settle(result.reads[read++] as ReadResult);
      }
      schedule();
    },
    fail(error) {
      deadlines.clear();
      const calls = [...waiting];
      waiting.clear();
      queue = [];
      inFlight = null;
      for (const call of calls) call.reject(error);
      schedule();
    },
    idle: () =>
      new Promise((resolve) => {
        idlers.push(resolve);
        schedule();
      }),
  };
};
