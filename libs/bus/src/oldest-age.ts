import type { Subscription } from './port.ts';

/**
 * Age of the oldest record that the subscriptions have fetched and that is not done, s; 0 when none waits.
 * @param now ms since 1970
 */
export const oldestAgeSeconds = (
  subscriptions: readonly Pick<Subscription, 'oldestPending'>[],
  now: number,
): number => {
  const oldest = Math.min(...subscriptions.map((each) => each.oldestPending() ?? Infinity));
  return Number.isFinite(oldest) ? Math.max(0, now - oldest) / 1_000 : 0;
};
