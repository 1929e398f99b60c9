import { isRelayError } from '@ranger-relay/errors';
import { type Backoff, type Clock, delayFor, endsWithin, type Random, type Timer } from '@ranger-relay/runtime';
import { jittered } from '../jittered.ts';
import { createKeys } from './keys.ts';

/** Result of a successful run: done until the key is added again, or a request for another run after at least 100 ms. */
export type Result = { readonly kind: 'done' } | { readonly kind: 'again'; readonly afterMs: number };

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Maximum concurrent runs. */
  readonly concurrency: number;
  /** Delays between failed runs of a key, varied by a fifth; `jitterMs` is not used. */
  readonly backoff: Backoff;
  /**
   * Runs one key. After an error the key runs again when its back-off and the `retryAfterMs` of the error have passed. The signal is
   * aborted when a drain takes too long.
   */
  readonly run: (key: string, signal: AbortSignal) => Promise<Result>;
  /** Called with the number of waiting keys whenever it changes. */
  readonly onDepth?: (waiting: number) => void;
}

/** Runs keys, several at a time, each key at most once at a time; retries after a failure and merges repeated requests. */
export interface WorkQueue {
  /** Requests a run. Requests before the run are merged; a request during the run causes another run. */
  add(key: string): void;
  /** Requests a run in `ms`; the earliest request applies. */
  addAfter(key: string, ms: number): void;
  /**
   * Starts no more runs and waits for the running ones; after `ms` it aborts them and stops waiting. Later calls share the first.
   * @returns the number of runs that had not ended
   */
  drain(ms: number): Promise<number>;
  /** Starts no more runs and aborts the running ones. */
  abort(): void;
  /** Resolves when all runs have ended after a drain, however long that takes. */
  settled(): Promise<void>;
  running(): number;
  /** Number of keys that are due and waiting. */
  waiting(): number;
}

const shareOfJitter = 0.2;
/**
 * Minimum interval between two runs of a key that was not added meanwhile, so that a key that requests a run each time does not starve the
 * others.
 */
const leastMs = 100;
/** Maximum duration of one timer, because system timers are limited to some weeks; a later one is set again. */
const maxTimerMs = 3_600_000;

const askedFor = (error: unknown): number => (isRelayError(error) ? (error.retryAfterMs ?? 0) : 0);

/** Creates a queue. */
export const createWorkQueue = (options: WorkQueueOptions): WorkQueue => {
  const { clock, random, concurrency, backoff, run, onDepth } = options;
  const keys = createKeys(concurrency);
  const failures = new Map<string, number>();
  const end = new AbortController();
  const settled = Promise.withResolvers<void>();
  let timer: Timer | undefined;
  let timedFor: number | undefined;
  let draining: Promise<number> | undefined;

  const backOff = (key: string, error: unknown): void => {
    const count = failures.get(key) ?? 0;
    failures.set(key, count + 1);
    const waitMs = jittered(delayFor({ ...backoff, jitterMs: 0 }, count, random), shareOfJitter, random);
    keys.addAt(key, clock.monotonic() + Math.max(waitMs, askedFor(error), leastMs));
  };

  const settle = (key: string, result: Result): void => {
    failures.delete(key);
    if (result.kind === 'again') keys.addAt(key, clock.monotonic() + Math.max(leastMs, result.afterMs));
  };

  const perform = async (key: string): Promise<void> => {
    try {
      settle(key, await run(key, end.signal));
    } catch (error) {
      backOff(key, error);
    }
    keys.finish(key);
    pump();
  };

  const arm = (): void => {
    const next = keys.nextDue();
    if (next === timedFor) return;
    timer?.cancel();
    timedFor = next;
    if (next === undefined) return;
    const leftMs = Math.min(Math.max(0, next - clock.monotonic()), maxTimerMs);
    timer = clock.after(leftMs, () => {
      timedFor = undefined;
      pump();
    });
  };

  const pump = (): void => {
    if (draining) {
      if (keys.running() === 0) settled.resolve();
      return;
    }
    for (let key = keys.take(clock.monotonic()); key !== undefined; key = keys.take(clock.monotonic()))
      void perform(key);
    onDepth?.(keys.waiting());
    arm();
  };

  const abort = (): void => end.abort(new Error('the queue has ended'));

  const waitForRuns = async (ms: number): Promise<number> => {
    await endsWithin({ clock, ms }, settled.promise);
    abort();
    return keys.running();
  };

  const drain = (ms: number): Promise<number> => {
    if (draining) return draining;
    draining = waitForRuns(ms);
    timer?.cancel();
    keys.clear();
    onDepth?.(0);
    pump();
    return draining;
  };

  return {
    add(key) {
      if (draining) return;
      keys.add(key);
      pump();
    },
    addAfter(key, ms) {
      if (draining) return;
      keys.addAt(key, clock.monotonic() + Math.max(0, ms));
      pump();
    },
    drain,
    abort() {
      void drain(0);
      abort();
    },
    settled: () => settled.promise,
    running: () => keys.running(),
    waiting: () => keys.waiting(),
  };
};
