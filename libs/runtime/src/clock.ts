/** A pending timer. */
export interface Timer {
  cancel(): void;
}

/** Time as a parameter: services get the system's, tests a manual one. */
export interface Clock {
  /** Milliseconds since 1970. May jump; never measure durations with it. */
  now(): number;
  /** Milliseconds from an arbitrary start, never jumping back. */
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

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: systemAfter,
  sleep: sleepWith(systemAfter),
};

export { sleepWith };
