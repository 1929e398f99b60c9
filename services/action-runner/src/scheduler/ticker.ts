import { systemClock, type Clock, type Timer } from '@ranger-relay/runtime';
import { schedule } from 'node-cron';

/** Calls a task about once a minute until it is stopped; what is due it does not decide. */
export type Ticker = (onTick: () => void) => { stop(): void };

const lookMs = 5_000;
/** Ticks come so far apart at most, ms: in the hour that a clock change repeats, and after a clock was set back, node-cron has none. */
const maxMs = 65_000;
/** A clock that moves so much against the time that passes was set, ms. */
const maxDriftMs = 30_000;

const everyMinute: Ticker = (onTick) => {
  const task = schedule('* * * * *', onTick, { suppressMissedWarning: true, unref: true });
  task.on('execution:missed', onTick);
  return { stop: () => void task.destroy() };
};

/** Makes a ticker that ticks when `minutes` does, and all the same when that has none to come or the clock was set. */
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
    let timer: Timer;

    const look = (): void => {
      timer = clock.after(lookMs, look);
      if (Math.abs(drift() - usual) >= maxDriftMs) {
        usual = drift();
        // It would wait for a minute that is far away now, or go through every one in between.
        ticking.stop();
        ticking = minutes(tick);
        tick();
      } else if (clock.monotonic() - last >= maxMs) tick();
    };
    timer = clock.after(lookMs, look);
    return {
      stop() {
        timer.cancel();
        ticking.stop();
      },
    };
  };

/** Ticks at every full minute; late, but never not, when the process slept or the clock was set. */
export const cronTicker: Ticker = steadyTicker(everyMinute, systemClock);
