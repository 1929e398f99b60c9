import type { Bus, PendingKey } from '@ranger-relay/bus';
import { integrationOfKey, topics } from '@ranger-relay/contracts';
import { siteEventsGroup } from '@ranger-relay/action-runner';
import { forwarderGroup } from '@ranger-relay/observation-forwarder';
import { isProbeKey } from '@ranger-relay/service';

/** Events of one integration that the platform has not accepted yet. */
export interface Waiting {
  /** Events on the way, without parked ones. */
  readonly count: number;
  readonly parked: number;
  /** Publish times, ms since 1970. */
  readonly oldest: number;
  readonly newest: number;
  /** SOS events among them. */
  readonly sos: number;
}

type Kind = 'live' | 'parked' | 'sos';

const add = (sum: Waiting | undefined, pending: PendingKey, kind: Kind): Waiting => ({
  count: (sum?.count ?? 0) + (kind === 'parked' ? 0 : pending.count),
  parked: (sum?.parked ?? 0) + (kind === 'parked' ? pending.count : 0),
  sos: (sum?.sos ?? 0) + (kind === 'sos' ? pending.count : 0),
  oldest: Math.min(sum?.oldest ?? Infinity, pending.oldest),
  newest: Math.max(sum?.newest ?? 0, pending.newest),
});

/** Events that wait for the platform, by integration. @throws RelayError of the bus */
export const waitingEvents = async (bus: Pick<Bus, 'pending'>): Promise<Map<string, Waiting>> => {
  const sums = new Map<string, Waiting>();
  const count = async (topic: string, kind: Kind, group = forwarderGroup): Promise<void> => {
    for (const pending of await bus.pending(topic, group)) {
      if (isProbeKey(pending.key)) continue;
      const id = integrationOfKey(pending.key);
      sums.set(id, add(sums.get(id), pending, kind));
    }
  };
  await Promise.all([
    count(topics.emergencies.name, 'sos'),
    count(topics.sourceEvents.name, 'live'),
    count(topics.sourceEventsParked.name, 'parked'),
    count(topics.siteEvents.name, 'live', siteEventsGroup),
  ]);
  return sums;
};
