import { oldestAgeSeconds, type Subscription } from '@ranger-relay/bus';
import { topics } from '@ranger-relay/contracts';
import type { Context } from '@ranger-relay/runtime';
import type { Forwarding } from './forwarding.ts';

/** What is looked at beside the consumers. */
type Measured = Pick<Forwarding, 'flags' | 'refusals' | 'sosWatch'>;

/** The subscriptions of the forwarder, by topic, as far as they have begun. */
type Subscriptions = ReadonlyMap<string, Pick<Subscription, 'assigned' | 'oldestPending'>>;

/** Shows at each scrape what waits. */
export const measure = (
  { metrics, clock }: Pick<Context, 'metrics' | 'clock'>,
  subscriptions: Subscriptions,
  { flags, refusals, sosWatch }: Measured,
): void => {
  const consumed: readonly string[] = [topics.emergencies, topics.sourceEvents, topics.sourceEventsParked].map(
    ({ name }) => name,
  );
  const owns = (topic: string, partition: number): boolean =>
    subscriptions.get(topic)?.assigned().includes(partition) ?? false;
  const ageOf = (topic: string): number => {
    const subscription = subscriptions.get(topic);
    return subscription ? oldestAgeSeconds([subscription], clock.now()) : 0;
  };
  // A count that begins at nothing shows its first step.
  for (const outcome of ['parked', 'refused']) metrics.count('relay_sos_events_total', { outcome }, 0);
  metrics.onScrape(() => {
    for (const topic of consumed) metrics.set('relay_oldest_unsent_event_age_seconds', ageOf(topic), { topic });
    metrics.set(
      'relay_oldest_unsent_sos_age_seconds',
      Math.max(ageOf(topics.emergencies.name), sosWatch.oldestAgeSeconds(owns)),
    );
    metrics.set('relay_parked_integrations', flags.tracked.size);
    metrics.set('relay_refusals_held_integrations', refusals.held());
  });
};
