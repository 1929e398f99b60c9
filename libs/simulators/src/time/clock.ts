/** A pending timer. */
export interface Timer {
  cancel(): void;
}

/** Time as a parameter. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds from an arbitrary start, never jumping back. */
  monotonic(): number;
  /** Runs `task` once after `ms` milliseconds; pending timers keep the process alive only with `ref`. */
  after(ms: number, task: () => void, ref?: boolean): Timer;
}

/** Times up to this many ms are kept to a fraction of one: they stand for a network. */
const exactMs = 50;
/** A timer may come so much too late, ms. */
const slackMs = 1;

/** Runs a task as soon as an instant of `performance.now()` has come; what is cancelled in between never runs. */
const spinUntil = (due: number, isOver: () => boolean, task: () => void): void => {
  if (isOver()) return;
  if (performance.now() >= due) return task();
  setImmediate(spinUntil, due, isOver, task);
};

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, task, ref = false) {
    let over = false;
    const exact = ref && ms > slackMs && ms <= exactMs;
    const due = performance.now() + ms;
    const handle = exact ? setTimeout(spinUntil, ms - slackMs, due, () => over, task) : setTimeout(task, ms);
    if (!ref) handle.unref();
    return {
      cancel: () => {
        over = true;
        clearTimeout(handle);
      },
    };
  },
};

/** A clock that runs `speed` times as fast as `base`, from its present time on. */
export const fastClock = (base: Clock, speed: number): Clock => {
  const start = base.now();
  const monotonicStart = base.monotonic();
  return {
    now: () => start + (base.monotonic() - monotonicStart) * speed,
    monotonic: () => (base.monotonic() - monotonicStart) * speed,
    after: (ms, task, ref) => base.after(ms / speed, task, ref),
  };
};

/** Resolves after `ms` milliseconds, or at once when the signal is aborted. */
export const wait = (clock: Clock, ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const finish = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const timer = clock.after(ms, finish, true);
    signal?.addEventListener('abort', finish, { once: true });
  });
