import { schedule } from 'node-cron';

/** Calls a task about once a minute until it is stopped; what is due it does not decide. */
export type Ticker = (onTick: () => void) => { stop(): void };

/** Ticks at every full minute. A minute that the process slept through is ticked late. */
export const cronTicker: Ticker = (onTick) => {
  const task = schedule('* * * * *', () => onTick(), { suppressMissedWarning: true, unref: true });
  task.on('execution:missed', () => onTick());
  return { stop: () => void task.destroy() };
};
