import { type Bus, oldestAgeSeconds, type Subscription } from '@ranger-relay/bus';
import { integrationOfKey, topics } from '@ranger-relay/contracts';
import type { KeyValue } from '@ranger-relay/kv';
import { baseApp, type Context, repeat, serveService } from '@ranger-relay/runtime';
import { watchOutstandingLetters } from '@ranger-relay/service';
import type { ActivitySink } from './activity-reporter.ts';
import type { ForwarderConfig } from './config.ts';
import { createForwarding, forwarderGroup, type ForwarderSensors, type Forwarding } from './forwarding.ts';
import { parkedLane } from './parking/parking.ts';

/** The forwarder's HTTP side: health and metrics, which serving adds, and nothing else. */
const createApp = (context: Pick<Context, 'log' | 'clock'>): ReturnType<typeof baseApp> => baseApp(context);

/** The parts that are measured besides the consumers. */
type Measured = Pick<Forwarding, 'flags' | 'refusals' | 'sosWatch'>;

/** The forwarder's subscriptions by topic, as far as they have started. */
type Subscriptions = ReadonlyMap<string, Pick<Subscription, 'assigned' | 'oldestPending'>>;

/** Publishes the waiting-time and parking metrics at each scrape. */
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
  // Initializes the counters at zero, so that the first increment is visible.
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

/** Dependencies of the forwarder besides its configuration. */
export interface ForwarderDependencies {
  readonly bus: Bus;
  readonly kv: KeyValue;
  readonly sensors: ForwarderSensors;
  readonly activity: ActivitySink;
  /** Name of this worker in claims. It may be the same after a restart only where no second worker can have it. */
  readonly owner: string;
}

/** Lanes of a parked partition are single sources, so many of them share one call. */
const maxParkedLanes = 256;
const reconcileEveryMs = 1_000;

const reconcileRegularly = ({ clock, log, lifecycle }: Context, { reconciler }: Forwarding): void => {
  const failed = (error: unknown): void =>
    log.warn({ err: error }, 'reconciling the flags of parked integrations failed');
  const stop = repeat({ clock, everyMs: reconcileEveryMs }, () => reconciler.reconcile().catch(failed));
  lifecycle.onStop('parking', () => void stop());
};

interface Keyed {
  readonly key: string;
}

/** Topics without retention, whose records are deleted once they are done. */
const untilDone = { from: 'earliest', deleteDone: true } as const;

/** The consumers, emergencies first. */
const consumersOf = ({ handlers }: Forwarding) => [
  // An emergency waits only behind an earlier one of the same device.
  {
    topic: topics.emergencies.name,
    handle: handlers.emergency,
    ...untilDone,
    maxAhead: Infinity,
    maxRunning: maxParkedLanes,
    lane: ({ key }: Keyed) => key,
  },
  { topic: topics.sourceEvents.name, handle: handlers.live, lane: ({ key }: Keyed) => integrationOfKey(key) },
  // One source may wait here for days with any number of events; other sources of its partition must be able to pass.
  {
    topic: topics.sourceEventsParked.name,
    handle: handlers.parked,
    ...untilDone,
    maxAhead: Infinity,
    maxRunning: maxParkedLanes,
    lane: parkedLane,
  },
];

type Consumers = ReturnType<typeof consumersOf>;

/** Joins the consumer groups; they stop together. */
const subscribe = async (
  { lifecycle }: Context,
  bus: Bus,
  consumers: Consumers,
  subscriptions: Map<string, Subscription>,
): Promise<void> => {
  lifecycle.onStop('consumers', async () => {
    await Promise.all([...subscriptions.values()].map((subscription) => subscription.close()));
  });
  const common = { group: forwarderGroup, maxBatch: 500, deadLetterKind: 'observation' } as const;
  for (const options of consumers) subscriptions.set(options.topic, await bus.consume({ ...common, ...options }));
};

const watch = ({ health }: Context, count: number, subscriptions: ReadonlyMap<string, Subscription>): void => {
  const all = (): Subscription[] => [...subscriptions.values()];
  const joined = (): boolean => subscriptions.size === count && all().every((each) => each.ready());
  health.addReadiness({ name: 'consumers joined', ok: joined });
  health.addLiveness({ name: 'consumers alive', ok: () => all().every((each) => each.alive()) });
};

/**
 * Starts the forwarder and registers its stop on the context's lifecycle. Returns the port of its health routes.
 * @param portVariable name of the variable that holds the port, for the error message when the port is taken
 */
export const compose = async (
  context: Context,
  { bus, kv, ...rest }: ForwarderDependencies,
  config: ForwarderConfig,
  portVariable = 'PORT',
): Promise<{ port: number }> => {
  const subscriptions = new Map<string, Subscription>();
  const options = {
    context,
    bus,
    state: kv.state,
    generation: kv.generation,
    ...rest,
    parkAfterMs: config.FORWARD_PARK_AFTER_MS,
  };
  const forwarding = createForwarding(options, subscriptions);
  const consumers = consumersOf(forwarding);
  context.lifecycle.onStop('peers', () => forwarding.peers.stop());
  reconcileRegularly(context, forwarding);
  watch(context, consumers.length, subscriptions);
  measure(context, subscriptions, forwarding);
  // The health routes answer while the forwarder waits for an unavailable bus.
  const port = await serveService(context, createApp(context), config, portVariable);
  await subscribe(context, bus, consumers, subscriptions);
  watchOutstandingLetters(context, { bus, state: kv.state });
  return { port };
};
