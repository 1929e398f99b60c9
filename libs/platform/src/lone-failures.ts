import { BoundedMap, type Clock } from '@ranger-relay/runtime';
import type { FailureTracker } from './failure-tracker.ts';

/** Counts the failures of items that were sent alone, in the memory of one process; an item has a name that is unique there. */
export interface LoneFailures {
  /** Whether the item has failed alone since it was last accepted. */
  has(item: string): boolean;
  /** An item of several calls had one of them answered. */
  forget(item: string): void;
  /**
   * Counts a failure. True when the item is at fault: it failed five times over ten minutes in which its integration had items accepted, or
   * over six hours in which only others had.
   */
  isHopeless(
    failure: { readonly item: string; readonly integrationId: string },
    tracker: Pick<FailureTracker, 'newestSuccess'>,
  ): boolean;
}

const leastTries = 5;
const leastMs = 10 * 60_000;
/** When no other item of the integration is accepted, the item may not be the cause, ms. */
const withoutNeighboursMs = 6 * 3_600_000;
const maxItems = 50_000;

/** Creates the counts of one process. */
export const createLoneFailures = (clock: Pick<Clock, 'monotonic'>): LoneFailures => {
  const failures = new BoundedMap<{ readonly count: number; readonly since: number }>(maxItems);
  return {
    has: (item) => failures.get(item) !== undefined,
    forget: (item) => void failures.delete(item),
    isHopeless({ item, integrationId }, { newestSuccess }) {
      const now = clock.monotonic();
      const before = failures.get(item);
      const { count, since } = { count: (before?.count ?? 0) + 1, since: before?.since ?? now };
      failures.set(item, { count, since });
      const lately = now - leastMs;
      const enoughMs = newestSuccess(integrationId) > lately ? leastMs : withoutNeighboursMs;
      return count >= leastTries && newestSuccess() > lately && now - since >= enoughMs;
    },
  };
};
