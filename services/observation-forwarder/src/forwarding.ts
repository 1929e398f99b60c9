import { type Bus, createDeadLetters, type DeadLetters, type Handler, type Subscription } from '@ranger-relay/bus';
import { type Message, type Observation, topics } from '@ranger-relay/contracts';
import type { RelayError } from '@ranger-relay/errors';
import type { KeyValue, KvSpace } from '@ranger-relay/kv';
import type { Sensors, SensorsPools } from '@ranger-relay/platform';
import type { Context } from '@ranger-relay/runtime';
import { type ActivityReporter, type ActivitySink, createActivityReporter } from './activity-reporter.ts';
import { createDedup, type Dedup } from './dedup/dedup.ts';
import { createTries, type Tries } from './dedup/tries.ts';
import {
  createFailureTracker,
  emergencyPolicy,
  type FailureTracker,
  type LaneRef,
  steadyPolicy,
} from './failure-tracker.ts';
import { createForwardHandler } from './handler.ts';
import { createParkingFlags } from './parking/flags.ts';
import { createParking, type Parking } from './parking/parking.ts';
import { createParkingReconciler } from './parking/reconciler.ts';
import { createPeers } from './peers.ts';
import { createPostQueue, type PostQueue } from './post-queue.ts';
import { createRefusals, type Refusals } from './refusals.ts';
import { createSosWatch, type SosWatch } from './sos-watch.ts';
import { type Counts, createCounts } from './tally.ts';

/**
 * One of the three routes of events to the platform, each with its own connections, limits and retries. Live events that must not delay
 * others are parked; parked events and emergencies wait in place.
 */
export interface Route {
  readonly name: 'live' | 'parked' | 'emergency';
  readonly observations: PostQueue<Observation>;
  readonly messages: PostQueue<Message>;
  readonly tracker: FailureTracker;
}

/** Dependencies of forwarding, shared by every route. */
export interface ForwardDependencies {
  readonly context: Pick<Context, 'clock' | 'random' | 'log' | 'metrics'>;
  readonly deadLetters: DeadLetters;
  readonly counts: Counts;
  readonly dedup: Dedup;
  readonly tries: Tries;
  readonly refusals: Refusals;
  readonly parking: Parking;
  readonly reporter: ActivityReporter;
  readonly sosWatch: SosWatch;
  /** Name of this worker in claims. It is the same after a restart only where a single worker can run. */
  readonly owner: string;
  /** Records an answer of the platform; a recovery ends the waits of all lanes, here and in other processes. */
  readonly succeeded: (route: Route, ref: LaneRef) => void;
  /** Records a failure of a call that began at `startedAt`, monotonic ms. */
  readonly failed: (route: Route, ref: LaneRef, error: RelayError, startedAt: number) => void;
}

/** The platform's sensors API, as the forwarder uses it. */
export type ForwarderSensors = SensorsPools<Pick<Sensors, 'postObservations' | 'postMessages'>>;

/** Options of `createForwarding`. */
interface ForwardingOptions {
  readonly context: Pick<Context, 'clock' | 'random' | 'log' | 'metrics'>;
  readonly bus: Bus;
  readonly state: KvSpace;
  readonly generation: KeyValue['generation'];
  readonly sensors: ForwarderSensors;
  readonly activity: ActivitySink;
  /** Name of this worker in claims. It may be the same after a restart only where no second worker can have it. */
  readonly owner: string;
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
  const { context, bus, state, generation, sensors, activity, owner, parkAfterMs } = options;
  const { clock, random } = context;
  const steady = createFailureTracker(clock, random, steadyPolicy(parkAfterMs));
  const urgent = createFailureTracker(clock, random, emergencyPolicy, steady);
  const common = { bus, state, group: forwarderGroup, topic: topics.sourceEventsParked.name, clock, random };
  const flags = createParkingFlags({ ...common, generation });
  const parking = createParking({ ...common, flags });
  const refusals = createRefusals(state, clock);
  const sosWatch = createSosWatch(clock);

  const wakeAll = (): void => {
    for (const tracker of [steady, urgent]) tracker.wakeAll();
    for (const subscription of subscriptions.values()) subscription.wake();
  };
  const peers = createPeers({ state, clock, random, tracker: steady, onRecovered: wakeAll });

  const deps: ForwardDependencies = {
    context,
    deadLetters: createDeadLetters({ bus, ...context }),
    dedup: createDedup(state, clock),
    tries: createTries(state, clock, random),
    counts: createCounts(state),
    refusals,
    parking,
    reporter: createActivityReporter(activity, state, context),
    sosWatch,
    owner,
    failed({ tracker }, ref, error, startedAt) {
      tracker.failed(ref, error, startedAt);
      peers.failed();
    },
    succeeded({ tracker }, ref) {
      const recovered = tracker.succeeded(ref);
      peers.succeeded(ref.integrationId, recovered);
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
    reconciler: createParkingReconciler({ ...common, flags, parking }),
    flags,
    parking,
    refusals,
    sosWatch,
    peers,
  };
};

/** The forwarder without its consumers. */
export type Forwarding = ReturnType<typeof createForwarding>;
