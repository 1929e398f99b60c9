import { sleepWith, systemClock, type Clock } from '../clock.ts';

interface Pending {
  readonly due: number;
  readonly order: number;
  readonly task: () => void;
}

/** A clock that moves only when a test advances it; due timers run in order, each followed by a turn of the event loop. */
export interface ManualClock extends Clock {
  /** Advances by `ms` and runs every timer that becomes due, including timers set by timers. Overlapping calls add up. */
  advance(ms: number): Promise<void>;
  /** Changes only the wall clock, as when it is set. */
  jump(ms: number): void;
  /** Advances by `ms` as if the event loop were blocked: timers that become due run at the next `advance`. */
  block(ms: number): void;
  /** Number of pending timers. */
  pending(): number;
}

const { turn } = systemClock;

/** Creates a manual clock that starts at `start` (ms since 1970). */
export const manualClock = (start = Date.UTC(2026, 0, 1)): ManualClock => {
  const timers = new Set<Pending>();
  let elapsed = 0;
  let offset = start;
  let order = 0;

  const after: Clock['after'] = (ms, task) => {
    const pending: Pending = { due: elapsed + Math.max(0, ms), order: order++, task };
    timers.add(pending);
    return { cancel: () => timers.delete(pending) };
  };

  const next = (until: number): Pending | undefined =>
    [...timers].filter((t) => t.due <= until).sort((a, b) => a.due - b.due || a.order - b.order)[0];

  const move = async (ms: number): Promise<void> => {
    const until = elapsed + ms;
    await turn();
    for (let timer = next(until); timer; timer = next(until)) {
      timers.delete(timer);
      elapsed = Math.max(elapsed, timer.due);
      timer.task();
      await turn();
    }
    elapsed = Math.max(elapsed, until);
    await turn();
  };
  let moved: Promise<void> = Promise.resolve();

  return {
    now: () => offset + elapsed,
    monotonic: () => elapsed,
    after,
    sleep: sleepWith(after),
    turn,
    pending: () => timers.size,
    jump: (ms) => {
      offset += ms;
    },
    block: (ms) => {
      elapsed += ms;
    },
    advance(ms) {
      const moving = moved.then(() => move(ms));
      moved = moving.catch(() => undefined);
      return moving;
    },
  };
};
