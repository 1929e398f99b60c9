import type { Clock } from '../time/clock.ts';

const minuteMs = 60_000;

/** Counts requests in minutes: asks for so many seconds of rest beyond a limit, 0 for none. */
export const createThrottle = (clock: Clock) => {
  let [minute, count] = [-Infinity, 0];
  return (limit: number): number => {
    const now = clock.monotonic();
    if (now - minute >= minuteMs) [minute, count] = [now, 0];
    count += 1;
    return limit > 0 && count > limit ? Math.ceil((minute + minuteMs - now) / 1_000) : 0;
  };
};
