import {
  type Bus,
  createDeadLetters,
  type Handler,
  oldestAgeSeconds,
  requireTopics,
  type Subscription,
} from '@ranger-relay/bus';
import { integrationOfKey, topics } from '@ranger-relay/contracts';
import type { KeyValue, KvSpace } from '@ranger-relay/kv';
import {
  createFailureTracker,
  createLoneFailures,
  emergencyPolicy,
  type FailureTracker,
  type Sensors,
  type SensorsPools,
  steadyPolicy,
} from '@ranger-relay/platform';
import { baseApp, type Context, serveService } from '@ranger-relay/runtime';
import { createSosLog, watchOutstandingLetters } from '@ranger-relay/service';
import { type ActivitySink, createActivityReporter } from './activity-reporter.ts';
import type { ForwarderConfig } from './config.ts';
import { createDeliveredRecords } from './delivered.ts';
import { createForwardHandler, type ForwardDependencies, type Route } from './handler.ts';
import { createParking } from './parking.ts';
import { createPostQueue } from './post-queue.ts';
import { createRefusals } from './refusals.ts';
import { createSosDelivery } from './sos-delivery.ts';
import { createSosWatch } from './sos-watch.ts';
import { createCounts } from './tally.ts';

/** The platform's sensors API, as the forwarder uses it. */
type ForwarderSensors = SensorsPools<Pick<Sensors, 'postObservations' | 'postMessages'>>;

/** Options of `createForwarding`. */
interface ForwardingOptions {
  readonly context: Pick<Context, 'clock' | 'random' | 'log' | 'metrics' | 'conditions'>;
  readonly bus: Bus;
  readonly state: KvSpace;
  readonly sensors: ForwarderSensors;
  readonly activity: ActivitySink;
  readonly parkAfterMs: number;
}

/** Consumer group of the forwarder on each of its topics. */
export const forwarderGroup = 'observation-forwarder';

const routeOf = (name: Route['name'], sensors: ForwarderSensors, tracker: FailureTracker): Route => ({
  name,
  tracker,
  observations: createPostQueue((id, list) => sensors[name].postObservations(id, list), tracker.slots),
  messages: createPostQueue((id, list) => sensors[name].postMessages(id, list), tracker.slots),
});

/**
 * Builds the three handlers and their shared parts, without consuming anything. A recovery wakes all `subscriptions` that exist by then.
 */
export const createForwarding = (options: ForwardingOptions, subscriptions: ReadonlyMap<string, Subscription>) => {
  const { context, bus, state, sensors, activity, parkAfterMs } = options;
  const { clock, random } = context;
  const steady = createFailureTracker(clock, random, steadyPolicy(parkAfterMs));
  const urgent = createFailureTracker(clock, random, emergencyPolicy, steady);
  const parkedTopic = topics.sourceEventsParked.name;
  const undone = (partition: number) => subscriptions.get(parkedTopic)?.undone(partition) ?? null;
  const parking = createParking({ bus, topic: parkedTopic, random, undone });
  const refusals = createRefusals(state, context);
  const sosWatch = createSosWatch(clock);
  const reporter = createActivityReporter(activity, state, context);

  const wakeAll = (): void => {
    for (const tracker of [steady, urgent]) tracker.wakeAll();
    for (const subscription of subscriptions.values()) subscription.wake();
  };

  const deps: ForwardDependencies = {
    context,
    deadLetters: createDeadLetters({ bus, ...context }),
    delivered: createDeliveredRecords(state, clock),
    loneFailures: createLoneFailures(clock),
    counts: createCounts(state),
    refusals,
    parking,
    reporter,
    sosWatch,
    sosDelivery: createSosDelivery(createSosLog({ bus, ...context }), reporter, context),
    succeeded({ tracker }, ref) {
      const recovered = tracker.succeeded(ref);
      context.conditions.clear('forwarding_failing', ref.integrationId);
      if (recovered) wakeAll();
    },
  };
  const handlerOf = (name: Route['name'], tracker: FailureTracker): Handler =>
    createForwardHandler(deps, routeOf(name, sensors, tracker));
  return {
    handlers: {
      live: handlerOf('live', steady),
      parked: handlerOf('parked', steady),
      emergency: handlerOf('emergency', urgent),
    },
    parking,
    refusals,
    sosWatch,
  };
};

/** The forwarder without its consumers. */
type Forwarding = ReturnType<typeof createForwarding>;

/** The parts that are measured besides the consumers. */
type Measured = Pick<Forwarding, 'refusals' | 'sosWatch'>;

/** The forwarder's subscriptions that have started, by topic. */
type Subscriptions = ReadonlyMap<string, Pick<Subscription, 'assigned' | 'oldestPending' | 'undone'>>;

const parkedIntegrations = (subscriptions: Subscriptions): number => {
  const parked = subscriptions.get(topics.sourceEventsParked.name);
  const lanes = parked?.assigned().flatMap((partition) => parked.undone(partition)?.names() ?? []);
  return new Set(lanes?.map(integrationOfKey)).size;
};

/** Publishes the waiting-time and parking metrics at each scrape. */
export const measure = (
  { metrics, clock }: Pick<Context, 'metrics' | 'clock'>,
  subscriptions: Subscriptions,
  { refusals, sosWatch }: Measured,
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
  metrics.count('relay_sos_events_total', { outcome: 'refused' }, 0);
  metrics.onScrape(() => {
    for (const topic of consumed) metrics.set('relay_oldest_unsent_event_age_seconds', ageOf(topic), { topic });
    metrics.set(
      'relay_oldest_unsent_sos_age_seconds',
      Math.max(ageOf(topics.emergencies.name), sosWatch.oldestAgeSeconds(owns)),
    );
    metrics.set('relay_parked_integrations', parkedIntegrations(subscriptions));
    metrics.set('relay_refusals_held_integrations', refusals.held());
  });
};

/** Dependencies of the forwarder besides its configuration. */
export interface ForwarderDependencies {
  readonly bus: Bus;
  readonly kv: KeyValue;
  readonly sensors: ForwarderSensors;
  readonly activity: ActivitySink;
}

/** Lanes of a parked partition are single sources, so many of them share one call. */
const maxParkedLanes = 256;

interface Keyed {
  readonly key: string;
}

/** Topics without retention, whose records are deleted once they are done. */
const untilDone = { from: 'earliest', deleteDone: true } as const;

const common = { group: forwarderGroup, maxBatch: 500, deadLetterKind: 'observation' } as const;

/** Joins the consumer groups, that of emergencies first; they stop together. Live and parked events of a device have one owner. */
const subscribe = async (
  { lifecycle }: Context,
  bus: Bus,
  { handlers }: Forwarding,
  subscriptions: Map<string, Subscription>,
): Promise<void> => {
  lifecycle.onStop('consumers', async () => {
    await Promise.all([...subscriptions.values()].map((subscription) => subscription.close()));
  });
  const { emergencies, sourceEvents, sourceEventsParked } = topics;
  // Each device waits for itself, and the commit names those that wait: what is done behind one is not sent again (libs/bus/src/lanes/done.ts).
  const perDevice = { ...common, ...untilDone, maxAhead: Infinity, maxRunning: maxParkedLanes, lane: 'key' } as const;
  const urgent = {
    ...perDevice,
    topic: emergencies.name,
    handle: handlers.emergency,
    // No SOS is announced, so that nothing stops it: at a take-over each undone one counts as maybe sent.
    maybeSentAtTakeOver: 'undone',
  } as const;
  subscriptions.set(emergencies.name, await bus.consume(urgent));
  const [live, parked] = await bus.consumeTogether(
    { ...common, topic: sourceEvents.name, handle: handlers.live, lane: ({ key }: Keyed) => integrationOfKey(key) },
    // One source may wait here for days with any number of events; other sources of its partition must be able to pass.
    { ...perDevice, topic: sourceEventsParked.name, handle: handlers.parked },
  );
  subscriptions.set(sourceEvents.name, live);
  subscriptions.set(sourceEventsParked.name, parked);
};

/** Topics whose events the forwarder promises to send. While the parked topic cannot be read, all live events wait, unless it never existed. */
const promised: readonly string[] = [topics.emergencies.name, topics.sourceEvents.name];

const watch = ({ health }: Context, bus: Bus, subscriptions: ReadonlyMap<string, Subscription>): void => {
  const all = (): Subscription[] => [...subscriptions.values()];
  const joined = (): boolean => promised.every((topic) => subscriptions.get(topic)?.ready() === true);
  health.addReadiness({ name: 'consumers joined', ok: joined });
  requireTopics(health, bus, promised);
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
    ...rest,
    parkAfterMs: config.FORWARD_PARK_AFTER_MS,
  };
  const forwarding = createForwarding(options, subscriptions);
  watch(context, bus, subscriptions);
  measure(context, subscriptions, forwarding);
  // The health routes answer while the forwarder waits for an unavailable bus; there are no others.
  const port = await serveService(context, baseApp(context), config, portVariable);
  await subscribe(context, bus, forwarding, subscriptions);
  watchOutstandingLetters(context, { bus, state: kv.state });
  return { port };
};
