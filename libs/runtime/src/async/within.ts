import { RelayError } from '@ranger-relay/errors';
import type { Clock } from '../clock.ts';

/** Limit of a wait. */
export interface WaitLimit {
  readonly clock: Pick<Clock, 'after'>;
  readonly ms: number;
  /** Ends the wait early with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Keeps the process alive during the wait; default false. */
  readonly ref?: boolean;
}

/**
 * Waits for `work` up to the limit; then returns or throws what `late` returns or throws. Late work continues, and its result or error is
 * ignored. Work that has ended counts, even when the signal is already aborted.
 */
export const within = async <T>({ clock, ms, signal, ref }: WaitLimit, work: Promise<T>, late: () => T): Promise<T> => {
  const over = Promise.withResolvers<T>();
  const onAbort = (): void => over.reject(signal?.reason as Error);
  const onLate = (): void => {
    try {
      over.resolve(late());
    } catch (error) {
      over.reject(error as Error);
    }
  };
  const timer = clock.after(ms, onLate, ref);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', onAbort);
  }
};

/** Waits for `work` up to the limit. Returns whether it ended in time. Rejects when it does. */
export const endsWithin = (limit: WaitLimit, work: Promise<unknown> | undefined): Promise<boolean> =>
  within(
    limit,
    Promise.resolve(work).then(() => true),
    () => false,
  );

/** Options of a deadline. */
export interface DeadlineOptions extends Omit<WaitLimit, 'ref'> {
  /** The reason of the abort when the deadline passes. */
  readonly reason: () => unknown;
}

/** A signal that is aborted when the deadline passes. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Cancels the deadline; the caller's own signal still aborts. */
  lift(): void;
  /** Removes timer and listener. */
  close(): void;
}

/** Starts a deadline. Unlike `AbortSignal.any` and `AbortSignal.timeout`, it uses our clock and leaves no listener on a long-lived signal. */
export const createDeadline = ({ clock, ms, signal, reason }: DeadlineOptions): Deadline => {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = clock.after(ms, () => controller.abort(reason()));
  return {
    signal: controller.signal,
    lift: () => timer.cancel(),
    close() {
      timer.cancel();
      signal?.removeEventListener('abort', onAbort);
    },
  };
};

/**
 * Runs work whose signal is aborted after `ms`, with RelayError `deadline_exceeded`, or as soon as `signal` is. Waits until the work ends in any
 * case.
 * @param limits.what names the work in the error
 */
export const runWithin = async <T>(
  { what, ...limits }: Omit<DeadlineOptions, 'reason'> & { readonly what: string },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const reason = (): RelayError => new RelayError('deadline_exceeded', { details: { what, ms: limits.ms } });
  const deadline = createDeadline({ ...limits, reason });
  try {
    return await work(deadline.signal);
  } finally {
    deadline.close();
  }
};
