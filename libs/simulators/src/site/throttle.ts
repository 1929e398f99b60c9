import type { Clock } from '../time/clock.ts';
import type { SiteStore } from './state/store.ts';

const windowMs = 60_000;

/** Lets each token ask so often a minute and no more. */
export interface Throttle {
  /** Seconds to wait, when a request is one too many; a refused request does not count. */
  refuses(token: string | undefined): number | undefined;
}

/** A throttle over the last minute; the switch `throttle_per_minute` says how many requests, 0 any number. */
export const createThrottle = (clock: Clock, store: SiteStore): Throttle => {
  const asked = new Map<string | undefined, number[]>();
  return {
    refuses(token) {
      const most = store.settings.switches.throttle_per_minute;
      if (most === 0) return undefined;
      const now = clock.monotonic();
      const recent = (asked.get(token) ?? []).filter((at) => at > now - windowMs);
      asked.set(token, recent);
      const [oldest = now] = recent;
      if (recent.length >= most) return Math.max(1, Math.ceil((oldest + windowMs - now) / 1_000));
      recent.push(now);
      return undefined;
    },
  };
};
