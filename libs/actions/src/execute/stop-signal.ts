import type { Clock } from '@ranger-relay/runtime';

/** What ends a run early. */
export interface StopSources {
  readonly clock: Clock;
  /** From now on, ms. */
  readonly timeMs: number;
  /** Why, when the time is over. */
  readonly late: () => unknown;
  /** Other signals, each with the reason that its abort is for the run. */
  readonly follow: readonly { readonly signal: AbortSignal | undefined; readonly reason: () => unknown }[];
}

/** The signal of a run. */
export interface StopSignal {
  readonly signal: AbortSignal;
  /** The run has ended: nothing is listened to any more. */
  close(): void;
}

/** One signal for all that ends a run early. */
export const createStopSignal = ({ clock, timeMs, late, follow }: StopSources): StopSignal => {
  const controller = new AbortController();
  const ends = new AbortController();
  const timer = clock.after(timeMs, () => controller.abort(late()), true);
  for (const { signal, reason } of follow) {
    if (signal?.aborted) controller.abort(reason());
    signal?.addEventListener('abort', () => controller.abort(reason()), { once: true, signal: ends.signal });
  }
  return {
    signal: controller.signal,
    close(): void {
      timer.cancel();
      ends.abort();
    },
  };
};
