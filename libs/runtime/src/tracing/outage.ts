import type { Logger } from '../logger.ts';

/** Says once when a collector is lost, and once when it is back. */
export const outageTeller = (log: Pick<Logger, 'warn' | 'info'>): ((taken: boolean) => void) => {
  let lost = false;
  return (taken) => {
    if (!taken && !lost) log.warn('the collector takes no spans; they are dropped until it does');
    if (taken && lost) log.info('the collector takes spans again');
    lost = !taken;
  };
};
