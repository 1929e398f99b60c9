import type { Clock } from '@ranger-relay/runtime';

/** Calls `work` each `ms` until the answered function is called. */
export const every = (clock: Clock, ms: number, work: () => void): (() => void) => {
  let timer = clock.after(ms, tick);
  function tick(): void {
    timer = clock.after(ms, tick);
    work();
  }
  return () => timer.cancel();
};
