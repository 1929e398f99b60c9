import { uptime } from 'node:os';
import { setImmediate } from 'node:timers/promises';

/** A pending timer. */
export interface Timer {
  cancel(): void;
}

/** A clock as a dependency: services use the system clock, tests a manual one. */
export interface Clock {
  /** Milliseconds since 1970. May jump; do not use it to measure durations. */
  now(): number;
  /** Milliseconds from an arbitrary start. Never goes back, and includes time in which the machine was suspended. */
  monotonic(): number;
  /** Runs `task` once after `ms` milliseconds; pending timers do not keep the process alive unless `ref` is set. */
  after(ms: number, task: () => void, ref?: boolean): Timer;
  /** Resolves after `ms` milliseconds, or rejects with the signal's reason if it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Resolves in a later turn of the event loop, after pending I/O; long work calls it to let others run. */
  turn(): Promise<void>;
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

/** Clocks of the machine, each with its own limits. Milliseconds. */
export interface MachineClocks {
  /** Never jumps, but stops while the machine is suspended. */
  readonly running: () => number;
  /** May be set to another time. */
  readonly wall: () => number;
  /** Time since the machine started, including suspended time; slow to read. */
  readonly sinceBoot: () => number;
}

/** A larger difference between two clocks is not a rounding error, ms. */
const noticeMs = 1_000;

/**
 * Creates a monotonic clock that includes suspended time: a process that sleeps past the end of its lease must not believe that it still
 * holds it. The wall clock is cheap to read and only triggers the check; setting it does not change the result.
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
  turn: () => setImmediate(),
};

export { sleepWith };

declare const RANGER_RELAY_BUILD_TIME: string | undefined;

/** Build time of this program, ms since 1970, inserted by the bundler; 1970 for unbundled sources and builds without a date. */
export const buildTime = typeof RANGER_RELAY_BUILD_TIME === 'undefined' ? 0 : Date.parse(RANGER_RELAY_BUILD_TIME);
