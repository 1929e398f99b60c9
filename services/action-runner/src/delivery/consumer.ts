import { type Bus, oldestAgeSeconds, requireTopics, type Subscription } from '@ranger-relay/bus';
import { integrationOfKey, topics } from '@ranger-relay/contracts';
import type { KeyValue } from '@ranger-relay/kv';
import { createFailureTracker, createLoneFailures, type Platform, type RetryPolicy } from '@ranger-relay/platform';
import type { Context } from '@ranger-relay/runtime';
import type { SiteDependencies } from '../tools.ts';
import { createFileBackoff } from './file-backoff.ts';
import type { OpenSite } from './files.ts';
import { createDeliveryHandler } from './handler.ts';
import { createActivityReporter } from './activity-reporter.ts';

/** Consumer group of the events of sites. */
export const siteEventsGroup = 'action-runner';

/** An event that fails delays the later ones of its integration by less than 20 s (device contract, one bad neighbour). */
export const deliveryPolicy: RetryPolicy = {
  outage: { baseMs: 1_000, maxMs: 15_000, jitterMs: 500 },
  confined: { baseMs: 30_000, maxMs: 600_000, jitterMs: 5_000 },
  retryAfterMs: 5 * 60_000,
  parkAfterMs: Infinity,
};

/** Connections of the consumer. */
export interface SiteEventsDependencies {
  readonly bus: Bus;
  readonly kv: Pick<KeyValue, 'state'>;
  readonly platform: Pick<Platform, 'events' | 'activity'> & {
    readonly integrations: Pick<Platform['integrations'], 'integration' | 'actionConfig'>;
  };
}

/** Opens sites for their files, as an action would. */
const siteOpener =
  (
    { integrations }: SiteEventsDependencies['platform'],
    { openReader }: Pick<SiteDependencies, 'openReader'>,
  ): OpenSite =>
  async (id, signal) => {
    const integration = await integrations.integration(id);
    const auth = await integrations.actionConfig(id, 'auth');
    return openReader({ baseUrl: integration?.base_url ?? null }, auth ?? null, signal);
  };

/**
 * Sends the events of sites that the pulls publish. Integrations wait independently of each other, and so does an event that fails alone.
 * Registers its stop on the context's lifecycle.
 */
export const consumeSiteEvents = async (
  context: Context,
  { bus, kv, platform }: SiteEventsDependencies,
  tools: Pick<SiteDependencies, 'openReader' | 'deadLetters'>,
): Promise<void> => {
  const { clock, random, metrics, health, lifecycle } = context;
  const { name: topic } = topics.siteEvents;
  const running: Subscription[] = [];
  const tracker = createFailureTracker(clock, random, deliveryPolicy);
  const handle = createDeliveryHandler({
    ...context,
    space: kv.state,
    events: platform.events,
    reporter: createActivityReporter(platform.activity, clock),
    openSite: siteOpener(platform, tools),
    fileBackoff: createFileBackoff(clock),
    deadLetters: tools.deadLetters,
    tracker,
    loneFailures: createLoneFailures(clock),
    onRecovery() {
      tracker.wakeAll();
      for (const subscription of running) subscription.wake();
    },
  });
  requireTopics(health, bus, [topic]);
  health.addReadiness({
    name: 'site events joined',
    ok: () => running.length > 0 && running.every((each) => each.ready()),
  });
  health.addLiveness({ name: 'site events alive', ok: () => running.every((each) => each.alive()) });
  metrics.onScrape(() =>
    metrics.set('relay_oldest_unsent_event_age_seconds', oldestAgeSeconds(running, clock.now()), { topic }),
  );
  lifecycle.onStop('site events', async () => {
    await Promise.all(running.map((each) => each.close()));
  });
  running.push(
    await bus.consume({
      topic,
      group: siteEventsGroup,
      handle,
      lane: ({ key }) => integrationOfKey(key),
      from: 'earliest',
      deleteDone: true,
      maxAhead: Infinity,
      maxBatch: 100,
      maxRunning: 64,
      deadLetterKind: 'site_event',
    }),
  );
};
