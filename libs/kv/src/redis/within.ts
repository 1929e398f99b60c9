import type { Clock, Timer } from '@ranger-relay/runtime';

/**
 * Runs `task` after `ms`, but only when answers that have arrived by then were read: after a pause of the event loop
 * timers come first, and an answer in the socket would be taken for missing.
 */
export const afterReads = (clock: Clock, ms: number, task: () => void): Timer => {
  let cancelled = false;
  const timer = clock.after(ms, () => setImmediate(() => cancelled || task()));
  return {
    cancel() {
      cancelled = true;
      timer.cancel();
    },
  };
};

/** How long something may take. */
export interface Limit {
  readonly clock: Clock;
  readonly ms: number;
  /** Ends the wait early, with its reason. */
  readonly signal: AbortSignal;
}

/** The outcome of `work`, or `late()` when there is none within the limit. */
export const within = <T>({ clock, ms, signal }: Limit, work: Promise<T>, late: () => Error): Promise<T> => {
  const ended = Promise.withResolvers<never>();
  const onAbort = (): void => ended.reject(signal.reason as Error);
  const timer = afterReads(clock, ms, () => ended.reject(late()));
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  return Promise.race([work, ended.promise]).finally(() => {
    timer.cancel();
    signal.removeEventListener('abort', onAbort);
  });
};
