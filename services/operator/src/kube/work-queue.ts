import { isRelayError } from '@ranger-relay/errors';
import { type Backoff, type Clock, delayFor, endsWithin, type Random, type Timer } from '@ranger-relay/runtime';

/** Result of a successful run: done until the key is added again, or a request for another run after at least 100 ms. */
export type Result = { readonly kind: 'done' } | { readonly kind: 'again'; readonly afterMs: number };

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Maximum concurrent runs. */
  readonly concurrency: number;
  /** Delays between failed runs of a key, varied by a fifth; `jitterMs` is not used. */
  readonly backoff: Backoff;
  /** Runs one key. After an error it runs again when its back-off and the `retryAfterMs` of the error have passed. */
  readonly run: (key: string) => Promise<Result>;
  /** Called with the number of waiting keys whenever it changes. */
  readonly onDepth?: (waiting: number) => void;
}

/** Runs keys, several at a time, each key at most once at a time. */
export interface WorkQueue {
  /** Requests a run. Requests before the run are merged; a request during the run causes another run. */
  add(key: string): void;
  /** Begins to run what was added. */
  open(): void;
  /** Starts no more runs, and waits at most `ms` for the running ones. @returns how many still run */
  stop(ms: number): Promise<number>;
}

const shareOfJitter = 0.2;
/** Minimum interval between two runs of a key that asks for another one, so that it does not starve the others. */
const leastMs = 100;
/** A later run is brought forward to this: a run is never harmful, and system timers are limited to some weeks. */
const maxTimerMs = 3_600_000;

/** Varies a time by a fifth in both directions, so that repetitions do not coincide. */
export const jittered = (ms: number, random: Random): number => ms * (1 + shareOfJitter * (2 * random.next() - 1));

/** Creates a queue, which is closed until it is opened. */
export const createWorkQueue = (options: WorkQueueOptions): WorkQueue => {
  const { clock, random, concurrency, backoff, run, onDepth } = options;
  const waiting = new Set<string>();
  const running = new Map<string, Promise<void>>();
  /** Keys that were added while they ran. */
  const dirty = new Set<string>();
  const timers = new Map<string, Timer>();
  const failures = new Map<string, number>();
  let state: 'closed' | 'open' | 'stopped' = 'closed';

  const cancel = (key: string): void => {
    timers.get(key)?.cancel();
    timers.delete(key);
  };

  const add = (key: string): void => {
    if (state === 'stopped') return;
    cancel(key);
    (running.has(key) ? dirty : waiting).add(key);
    pump();
  };

  const addAfter = (key: string, ms: number): void => {
    const timer = clock.after(Math.min(Math.max(leastMs, ms), maxTimerMs), () => add(key));
    timers.set(key, timer);
  };

  const waitAfter = (key: string, error: unknown): number => {
    const count = failures.get(key) ?? 0;
    failures.set(key, count + 1);
    const asked = isRelayError(error) ? (error.retryAfterMs ?? 0) : 0;
    return Math.max(jittered(delayFor({ ...backoff, jitterMs: 0 }, count, random), random), asked);
  };

  const perform = async (key: string): Promise<void> => {
    let afterMs: number | undefined;
    try {
      const result = await run(key);
      failures.delete(key);
      if (result.kind === 'again') afterMs = result.afterMs;
    } catch (error) {
      afterMs = waitAfter(key, error);
    }
    running.delete(key);
    if (state === 'stopped') return;
    if (dirty.delete(key)) waiting.add(key);
    else if (afterMs !== undefined) addAfter(key, afterMs);
    pump();
  };

  const pump = (): void => {
    for (const key of waiting) {
      if (state !== 'open' || running.size >= concurrency) break;
      waiting.delete(key);
      running.set(key, perform(key));
    }
    onDepth?.(waiting.size);
  };

  return {
    add,
    open() {
      if (state === 'closed') state = 'open';
      pump();
    },
    async stop(ms) {
      state = 'stopped';
      timers.forEach((_, key) => cancel(key));
      waiting.clear();
      pump();
      await endsWithin({ clock, ms }, Promise.all(running.values()));
      return running.size;
    },
  };
};
