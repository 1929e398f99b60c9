import type { Clock } from '../clock.ts';
import type { Random } from '../random.ts';

/** A doubling delay with a cap and jitter. */
export interface Backoff {
  /** First delay, ms. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** Maximum random addition, ms. */
  readonly jitterMs: number;
}

/** Delay before attempt number `attempt` + 1 (counted from 0), ms. */
export const delayFor = ({ baseMs, maxMs, jitterMs }: Backoff, attempt: number, random: Random): number =>
  Math.min(baseMs * 2 ** Math.min(attempt, 30) + random.next() * jitterMs, maxMs);

/** Waits `ms`, or until the signal is aborted; never rejects. */
export const pause = (clock: Pick<Clock, 'sleep'>, ms: number, signal: AbortSignal | undefined): Promise<void> =>
  clock.sleep(ms, signal).catch(() => undefined);

/** Limits of the attempts. */
export interface RetryPolicy {
  readonly backoff: Backoff;
  /** Maximum number of attempts; default: no limit. */
  readonly tries?: number;
  /** No attempt begins later than this after the first one, ms; default: no limit. */
  readonly totalMs?: number;
}

/** Options of `retry`. */
export interface RetryOptions extends RetryPolicy {
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly random: Random;
  /** Ends the wait before the next attempt. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with each error except the last one, and the delay of the back-off; returns the wait before the next attempt, ms, or null to give up.
   */
  readonly onError: (error: unknown, delayMs: number) => number | null;
}

/**
 * Runs a task until it succeeds or the policy ends.
 * @throws the last error, or the reason of the signal
 */
export const retry = async <T>(options: RetryOptions, task: () => Promise<T>): Promise<T> => {
  const { clock, random, signal, backoff, tries = Infinity, totalMs = Infinity, onError } = options;
  const end = clock.monotonic() + totalMs;
  for (let attempt = 0; ; attempt += 1) {
    signal?.throwIfAborted();
    try {
      return await task();
    } catch (error) {
      if (attempt + 1 >= tries) throw error;
      const waitMs = onError(error, delayFor(backoff, attempt, random));
      if (waitMs === null || clock.monotonic() + waitMs >= end) throw error;
      await clock.sleep(waitMs, signal);
    }
  }
};
