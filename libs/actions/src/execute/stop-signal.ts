import type { Clock } from '@ranger-relay/runtime';

/** The conditions that end a run early. */
export interface StopSources {
  readonly clock: Clock;
  /** Time limit from now, ms. */
  readonly timeMs: number;
  /** The abort reason when the time is over. */
  readonly late: () => unknown;
  /** Other signals whose abort ends the run. */
  readonly follow: readonly Followed[];
}

/** Another signal that a run follows. */
export interface Followed {
  readonly signal: AbortSignal | undefined;
  /** The abort reason for the run. */
  readonly reason: () => unknown;
  /** Checks whether the other signal must abort, in case a timer could not run. */
  readonly look?: (() => void) | undefined;
}

/** The signal of a run. */
export interface StopSignal {
  readonly signal: AbortSignal;
  /** Aborts if it is due. No timer runs while a handler blocks the event loop. */
  look(): void;
  /** Ends the run: removes all listeners and timers, and aborts, so that calls which the handler left open are not repeated without its lease. */
  close(): void;
}

const ended = (): DOMException => new DOMException('the run has ended', 'AbortError');

/** Combines all conditions that end a run into one signal. */
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
      controller.abort(ended());
    },
  };
};
