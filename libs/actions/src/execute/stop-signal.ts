import type { Clock } from '@ranger-relay/runtime';

/** What ends a run early. */
export interface StopSources {
  readonly clock: Clock;
  /** From now on, ms. */
  readonly timeMs: number;
  /** Why, when the time is over. */
  readonly late: () => unknown;
  /** Other signals whose abort ends it. */
  readonly follow: readonly Followed[];
}

/** Another signal that a run listens to. */
export interface Followed {
  readonly signal: AbortSignal | undefined;
  /** Why, for the run. */
  readonly reason: () => unknown;
  /** Has it look whether it is due, when no timer could say so. */
  readonly look?: (() => void) | undefined;
}

/** The signal of a run. */
export interface StopSignal {
  readonly signal: AbortSignal;
  /** Aborts at once when that is due: while a handler blocks the event loop no timer runs. */
  look(): void;
  /** The run has ended: nothing is listened to any more. */
  close(): void;
}

/** One signal for all that ends a run early. */
export const createStopSignal = ({ clock, timeMs, late, follow }: StopSources): StopSignal => {
  const controller = new AbortController();
  const ends = new AbortController();
  const end = clock.monotonic() + timeMs;
  const timer = clock.after(timeMs, () => controller.abort(late()), true);
  for (const { signal, reason } of follow) {
    if (signal?.aborted) controller.abort(reason());
    signal?.addEventListener('abort', () => controller.abort(reason()), { once: true, signal: ends.signal });
  }
  return {
    signal: controller.signal,
    look(): void {
      if (ends.signal.aborted) return;
      if (clock.monotonic() >= end) controller.abort(late());
      for (const { look } of follow) look?.();
    },
    close(): void {
      timer.cancel();
      ends.abort();
    },
  };
};
