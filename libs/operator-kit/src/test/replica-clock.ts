import type { Clock } from '@ranger-relay/runtime';

/** The clock of one machine: wrong about the time of day, slightly too fast or slow, and at times its process does not get to run. */
export interface ReplicaClock extends Clock {
  /** Changes the time of day. */
  skew(ms: number): void;
  /** Timers and answers that come due within so many ms run only after them; time goes on. */
  freeze(ms: number): void;
  frozen(): boolean;
}

/** Makes the clock of a machine from the true one. `rate` 1.1 is a tenth too fast. */
export const replicaClock = (base: Clock, rate = 1): ReplicaClock => {
  let offset = 0;
  let frozenUntil = 0;

  const after: Clock['after'] = (ms, task) => {
    let cancelled = false;
    const ring = (): void => {
      if (cancelled) return;
      const left = frozenUntil - base.monotonic();
      if (left > 0) base.after(left, ring);
      else task();
    };
    const timer = base.after(ms / rate, ring);
    return {
      cancel() {
        cancelled = true;
        timer.cancel();
      },
    };
  };

  return {
    now: () => base.now() + offset,
    monotonic: () => base.monotonic() * rate,
    after,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error);
        const timer = after(ms, resolve);
        signal?.addEventListener(
          'abort',
          () => {
            timer.cancel();
            reject(signal.reason as Error);
          },
          { once: true },
        );
      }),
    turn: () => base.turn(),
    skew: (ms) => void (offset += ms),
    freeze: (ms) => void (frozenUntil = Math.max(frozenUntil, base.monotonic() + ms)),
    frozen: () => base.monotonic() < frozenUntil,
  };
};
