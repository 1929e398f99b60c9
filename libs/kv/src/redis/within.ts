import { type Clock, type Timer, within } from '@ranger-relay/runtime';

/** A timer that fires this much too late shows that the event loop was blocked, ms. */
const pauseMs = 250;
/** Extra time for responses to commands that were sent only after such a block, ms. */
const graceMs = 250;

/**
 * Runs `task` after `ms`, but only after pending responses were read: when the event loop was blocked, timers fire before the socket is read,
 * and the response would count as missing. Commands that were queued before the block are sent only afterwards, so the wait is extended once.
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

/** Time limit of an operation. */
export interface Limit {
  readonly clock: Clock;
  readonly ms: number;
  /** Ends the wait early, with its reason. */
  readonly signal: AbortSignal;
}

/** The result of `work`, or the exception `late()` after the limit. */
export const withinReads = <T>({ clock, ...limit }: Limit, work: Promise<T>, late: () => Error): Promise<T> =>
  within({ clock: { after: (ms, task) => afterReads(clock, ms, task) }, ...limit }, work, () => {
    throw late();
  });
