import { oldestAgeSeconds, type Subscription } from '@ranger-relay/bus';
import { topics } from '@ranger-relay/contracts';
import type { Context } from '@ranger-relay/runtime';
import type { SosWatch } from './sos-watch.ts';

/** What is looked at beside the consumers. */
export interface Measured {
  /** Integrations whose flags this process has met. */
  readonly parked: ReadonlySet<string>;
  readonly sosWatch: SosWatch;
}

/**
 * Shows at each scrape what waits.
 * @param subscriptions that of the source events, then that of the parked ones, as far as they have begun
 */
export const measure = (
  { metrics, clock }: Pick<Context, 'metrics' | 'clock'>,
  subscriptions: readonly Pick<Subscription, 'assigned' | 'oldestPending'>[],
  { parked, sosWatch }: Measured,
): void => {
  const consumed: readonly string[] = [topics.sourceEvents.name, topics.sourceEventsParked.name];
  const owns = (topic: string, partition: number): boolean =>
    subscriptions[consumed.indexOf(topic)]?.assigned().includes(partition) ?? false;
  // A count that begins at nothing shows its first step.
  for (const outcome of ['parked', 'refused']) metrics.count('relay_sos_events_total', { outcome }, 0);
  metrics.onScrape(() => {
    for (const [index, topic] of consumed.entries())
      metrics.set(
        'relay_oldest_unsent_event_age_seconds',
        oldestAgeSeconds(subscriptions.slice(index, index + 1), clock.now()),
        {
          topic,
        },
      );
    metrics.set('relay_oldest_unsent_sos_age_seconds', sosWatch.oldestAgeSeconds(owns));
    metrics.set('relay_parked_integrations', parked.size);
  });
};
