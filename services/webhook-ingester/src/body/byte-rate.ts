import type { Clock } from '@ranger-relay/runtime';

/** How many bytes of bodies an integration may bring a minute. */
export interface ByteRate {
  /** Counts `bytes` of an integration that is known; false when they are too many for this minute. */
  take(integrationId: string, bytes: number): boolean;
}

const windowMs = 60_000;

/** Makes the rate: `limit` bytes in each minute, for each integration. */
export const createByteRate = (limit: number, clock: Pick<Clock, 'monotonic'>): ByteRate => {
  let taken = new Map<string, number>();
  let end = -Infinity;
  return {
    take(integrationId, bytes) {
      const now = clock.monotonic();
      if (now >= end) {
        taken = new Map();
        end = now + windowMs;
      }
      const sum = (taken.get(integrationId) ?? 0) + bytes;
      if (sum > limit) return false;
      taken.set(integrationId, sum);
      return true;
    },
  };
};
