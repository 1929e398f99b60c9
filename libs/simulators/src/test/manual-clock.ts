import type { Clock } from '../time/clock.ts';

interface Pending {
  readonly due: number;
  readonly task: () => void;
}

/** A clock for tests that moves only on request. */
export interface ManualClock extends Clock {
  advance(ms: number): void;
  /** Waits until a timer is set, moves to the earliest one, runs it, and says how long the way was. */
  toNextTimer(): Promise<number>;
  pending(): number;
}

/** A manual clock that starts at `start`, ms since 1970. */
export const manualClock = (start = Date.UTC(2026, 0, 1)): ManualClock => {
  const timers = new Set<Pending>();
  let now = start;
  let timerSet: (() => void) | undefined;

  const runDue = (until: number): void => {
    const due = [...timers].filter((timer) => timer.due <= until).sort((a, b) => a.due - b.due);
    for (const timer of due) if (timers.delete(timer)) timer.task();
  };

  return {
    now: () => now,
    monotonic: () => now - start,
    pending: () => timers.size,
    after(ms, task) {
      const timer = { due: now + ms, task };
      timers.add(timer);
      timerSet?.();
      return { cancel: () => timers.delete(timer) };
    },
    advance(ms) {
      now += ms;
      runDue(now);
    },
    async toNextTimer() {
      if (timers.size === 0) await new Promise<void>((resolve) => (timerSet = resolve));
      timerSet = undefined;
      const way = Math.min(...[...timers].map(({ due }) => due)) - now;
      now += Math.max(0, way);
      runDue(now);
      return way;
    },
  };
};
