import { isRelayError } from '@ranger-relay/errors';
import { type Backoff, type Clock, delayFor, endsWithin, type Random, type Timer } from '@ranger-relay/runtime';
import { jittered } from '../jittered.ts';
import { createKeys } from './keys.ts';

/** What a run of a key ends in, when it does not throw: it is done until somebody adds it, or wants another run later (in 100 ms at least). */
export type Result = { readonly kind: 'done' } | { readonly kind: 'again'; readonly afterMs: number };

/** What a queue is made from. */
export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Keys that run at a time. */
  readonly concurrency: number;
  /** Between the runs of a key that fail; its `jitterMs` is not used, the wait differs by a fifth. */
  readonly backoff: Backoff;
  /**
   * Runs one key. What it throws is a failure: the key runs again after its back-off, or after what `retryAfterMs` of the error asks for
   * when that is longer. The signal is aborted when a drain has lasted too long.
   */
  readonly run: (key: string, signal: AbortSignal) => Promise<Result>;
  /** Hears of what waits, whenever that changes. */
  readonly onDepth?: (waiting: number) => void;
}

/** Runs keys: each one alone, several at a time, again after a failure, never twice for what one run does. */
export interface WorkQueue {
  /** Wants a run at once. Several of these before the run are one; one during the run is another run. */
  add(key: string): void;
  /** Wants a run in `ms`; of several wishes the earliest counts. */
  addAfter(key: string, ms: number): void;
  /**
   * Starts nothing more and waits for what runs; after `ms` it aborts the runs and waits no longer. Later calls share the first.
   * @returns how many runs had not ended
   */
  drain(ms: number): Promise<number>;
  /** Starts nothing more, and aborts what runs at once. */
  abort(): void;
  /** Resolves when nothing runs any more after a drain, however long that takes. */
  settled(): Promise<void>;
  running(): number;
  /** Keys that are due and wait for their run. */
  waiting(): number;
}

const shareOfJitter = 0.2;
/** Between two runs of a key that nobody added meanwhile, at least: a run that wants another one at once must not starve the rest. */
const leastMs = 100;
/** Timers of the system cannot be set for longer than some weeks; one that is due later is set again. */
const maxTimerMs = 3_600_000;

const askedFor = (error: unknown): number => (isRelayError(error) ? (error.retryAfterMs ?? 0) : 0);

/** Makes a queue that works from the first key on. */
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
