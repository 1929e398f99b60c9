import { type Clock, repeatAtRate, systemClock } from '@ranger-relay/runtime';
import { schedule } from 'node-cron';

/** Calls a task about once a minute until it is stopped; it does not decide what is due. */
export type Ticker = (onTick: () => void) => { stop(): void };

const lookMs = 5_000;
/** Maximum interval between ticks, ms: node-cron skips ticks in the hour that a clock change repeats, and after a clock was set back. */
const maxMs = 65_000;
/** A clock that deviates this much from the elapsed time was set, ms. */
const maxDriftMs = 30_000;

const everyMinute: Ticker = (onTick) => {
  const task = schedule('* * * * *', onTick, { suppressMissedWarning: true, unref: true });
  task.on('execution:missed', onTick);
  return { stop: () => void task.destroy() };
};

/** Creates a ticker that follows `minutes`, and also ticks when `minutes` skips a tick or the clock was set. */
export const steadyTicker =
  (minutes: Ticker, clock: Pick<Clock, 'now' | 'monotonic' | 'after'>): Ticker =>
  (onTick) => {
    const drift = (): number => clock.now() - clock.monotonic();
    let last = clock.monotonic();
    const tick = (): void => {
      last = clock.monotonic();
      onTick();
    };
    let ticking = minutes(tick);
    let usual = drift();

    const look = (): void => {
      if (Math.abs(drift() - usual) >= maxDriftMs) {
        usual = drift();
        // Otherwise the ticker would wait for a distant minute, or go through every minute in between.
        ticking.stop();
        ticking = minutes(tick);
        tick();
      } else if (clock.monotonic() - last >= maxMs) tick();
    };
    const stopLooking = repeatAtRate({ clock, everyMs: lookMs }, look);
    return {
      stop() {
        void stopLooking();
        ticking.stop();
      },
    };
  };

/** Ticks at every full minute; a tick is late, but never lost, when the process was suspended or the clock was set. */
export const cronTicker: Ticker = steadyTicker(everyMinute, systemClock);
