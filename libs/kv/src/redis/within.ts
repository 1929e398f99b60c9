import { type Clock, type Timer, within } from '@ranger-relay/runtime';

/** A timer that is later than this, ms: the event loop stood still. */
const pauseMs = 250;
/** What left only behind such a pause has so long to be answered, ms. */
const graceMs = 250;

/**
 * Runs `task` after `ms`, but only when answers that have arrived by then were read: after a pause of the event loop
 * timers come first, and an answer in the socket would be taken for missing. What was asked right before a pause has not
 * even left, so the wait goes on for a moment behind it, once.
 */
export const afterReads = (clock: Clock, ms: number, task: () => void): Timer => {
  let cancelled = false;
  const read = (): void => void setImmediate(() => cancelled || task());
  const due = clock.monotonic() + ms;
  let timer = clock.after(ms, () => {
    if (clock.monotonic() - due > pauseMs) timer = clock.after(graceMs, read);
    else read();
  });
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
export const withinReads = <T>({ clock, ...limit }: Limit, work: Promise<T>, late: () => Error): Promise<T> =>
  within({ clock: { after: (ms, task) => afterReads(clock, ms, task) }, ...limit }, work, () => {
    throw late();
  });
