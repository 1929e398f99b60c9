import type { Bus, PendingKey } from '@ranger-relay/bus';
import { integrationOfKey, topics } from '@ranger-relay/contracts';
import { forwarderGroup } from '@ranger-relay/observation-forwarder';

/** What of one integration the platform has not accepted yet. */
export interface Waiting {
  /** Events on the way, parked ones left out. */
  readonly count: number;
  readonly parked: number;
  /** Publish times, ms since 1970. */
  readonly oldest: number;
  readonly newest: number;
}

const add = (sum: Waiting | undefined, pending: PendingKey, parked: boolean): Waiting => ({
  count: (sum?.count ?? 0) + (parked ? 0 : pending.count),
  parked: (sum?.parked ?? 0) + (parked ? pending.count : 0),
  oldest: Math.min(sum?.oldest ?? Infinity, pending.oldest),
  newest: Math.max(sum?.newest ?? 0, pending.newest),
});

/** What waits for the forwarder, by integration. @throws RelayError of the bus */
export const waitingEvents = async (bus: Bus): Promise<Map<string, Waiting>> => {
  const [direct, parked] = await Promise.all([
    bus.pending(topics.sourceEvents.name, forwarderGroup),
    bus.pending(topics.sourceEventsParked.name, forwarderGroup),
  ]);
  const sums = new Map<string, Waiting>();
  for (const pending of direct) {
    const id = integrationOfKey(pending.key);
    sums.set(id, add(sums.get(id), pending, false));
  }
  for (const pending of parked) sums.set(pending.key, add(sums.get(pending.key), pending, true));
  return sums;
};
