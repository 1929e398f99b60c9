import { uptime } from 'node:os';

/** A pending timer. */
export interface Timer {
  cancel(): void;
}

/** Time as a parameter: services get the system's, tests a manual one. */
export interface Clock {
  /** Milliseconds since 1970. May jump; never measure durations with it. */
  now(): number;
  /** Milliseconds from an arbitrary start, never jumping back; time in which the machine was suspended counts. */
  monotonic(): number;
  /** Runs `task` once after `ms` milliseconds; pending timers do not keep the process alive unless `ref` is set. */
  after(ms: number, task: () => void, ref?: boolean): Timer;
  /** Resolves after `ms` milliseconds, or rejects with the signal's reason when it is aborted before. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

const sleepWith =
  (after: Clock['after']) =>
  (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const onAbort = (): void => {
        timer.cancel();
        reject(signal?.reason as Error);
      };
      const timer = after(
        ms,
        () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
        true,
      );
      signal?.addEventListener('abort', onAbort, { once: true });
    });

const systemAfter: Clock['after'] = (ms, task, ref = false) => {
  const handle = setTimeout(task, ms);
  if (!ref) handle.unref();
  return { cancel: () => clearTimeout(handle) };
};

/** Clocks of the machine: each stands still, or jumps, in its own way. Milliseconds. */
export interface MachineClocks {
  /** Never jumps, and stands still while the machine is suspended. */
  readonly running: () => number;
  /** May be set. */
  readonly wall: () => number;
  /** Since the machine started, suspended time included; asking it is slow. */
  readonly sinceBoot: () => number;
}

/** More than this between two clocks is no rounding, ms. */
const noticeMs = 1_000;

/**
 * Makes monotonic time that counts suspended time: who holds a lease and sleeps through its end must not believe that it still holds. The wall
 * clock, which is cheap to ask, only raises the suspicion; that it was set changes nothing.
 */
export const countSuspended = ({ running, wall, sinceBoot }: MachineClocks): (() => number) => {
  let apart: number | undefined;
  let bootApart = 0;
  let suspended = 0;
  return () => {
    const now = running();
    const found = wall() - now;
    if (apart === undefined) bootApart = sinceBoot() - now;
    else if (Math.abs(found - apart) > noticeMs) {
      const missing = sinceBoot() - now - bootApart;
      if (missing > suspended + noticeMs / 2) suspended = missing;
    } else return now + suspended;
    apart = found;
    return now + suspended;
  };
};

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: countSuspended({
    running: () => performance.now(),
    wall: () => Date.now(),
    sinceBoot: () => uptime() * 1_000,
  }),
  after: systemAfter,
  sleep: sleepWith(systemAfter),
};

export { sleepWith };
