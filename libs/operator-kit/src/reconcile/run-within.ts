import { RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';

/** How long a piece of work may take. */
export interface Within {
  readonly clock: Clock;
  readonly ms: number;
  /** Ends it earlier. */
  readonly signal: AbortSignal;
  /** What it is, for the error. */
  readonly what: string;
}

/** Does work whose signal is aborted when its time is over, with RelayError `deadline_exceeded`. It is waited for until it ends, all the same. */
export const runWithin = async <T>(
  { clock, ms, signal, what }: Within,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = clock.after(ms, () => controller.abort(new RelayError('deadline_exceeded', { details: { what, ms } })));
  try {
    return await work(controller.signal);
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', onAbort);
  }
};
