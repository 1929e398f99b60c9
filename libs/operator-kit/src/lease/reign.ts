import type { Clock } from '@ranger-relay/runtime';
import type { Term } from '../reconcile/term.ts';

/** What a reign begins with. */
export interface ReignOptions {
  readonly clock: Clock;
  /** Monotonic time until which the lease may be relied on. */
  readonly until: number;
  /** Why it is lost when nobody extends it. */
  readonly expired: () => Error;
}

/** The time in which one process leads. */
export interface Reign {
  readonly term: Term;
  /** Aborted when it is lost or finished. */
  readonly over: AbortSignal;
  /** The lease may be relied on now. */
  holds(): boolean;
  extend(until: number): void;
  /** Asks the work to end in order. */
  stop(): void;
  /** Somebody else may lead from now on. */
  lose(reason: Error): void;
  /** The work has ended. */
  finish(): void;
}

/** Begins a reign; it is lost by itself when its time is over. */
export const createReign = ({ clock, until: first, expired }: ReignOptions): Reign => {
  const stopping = new AbortController();
  const lost = new AbortController();
  const over = new AbortController();
  let until = first;

  const end = (): void => {
    timer.cancel();
    over.abort(new Error('the reign is over'));
  };
  const lose = (reason: Error): void => {
    if (over.signal.aborted) return;
    end();
    lost.abort(reason);
  };
  const arm = () => clock.after(Math.max(0, until - clock.monotonic()), () => lose(expired()));
  let timer = arm();

  return {
    term: { stopping: stopping.signal, lost: lost.signal },
    over: over.signal,
    holds: () => !over.signal.aborted && clock.monotonic() < until,
    extend(later) {
      if (over.signal.aborted || later <= until) return;
      until = later;
      timer.cancel();
      timer = arm();
    },
    stop: () => stopping.abort(new Error('the end has come')),
    lose,
    finish: end,
  };
};
