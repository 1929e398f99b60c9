import type { Bus, Subscription } from '@ranger-relay/bus';
import { integrationOfKey, topics } from '@ranger-relay/contracts';
import type { KeyValue } from '@ranger-relay/kv';
import { serveService, type Context } from '@ranger-relay/runtime';
import { createApp } from './app.ts';
import { createAttempts } from './attempts.ts';
import type { ForwarderConfig } from './config.ts';
import { createDedup } from './dedup.ts';
import { createFailures } from './failures.ts';
import { createForwardHandler } from './forward.ts';
import { measure } from './measure.ts';
import { createNotices, type ActivitySink } from './notices.ts';
import { createParkingCare, type ParkingCare } from './parking-care.ts';
import { createParkingFlags } from './parking-flags.ts';
import { createParking } from './parking.ts';
import type { ForwardParts, Sensors } from './parts.ts';
import { createRotation } from './rotation.ts';
import { createSosWatch } from './sos-watch.ts';

/** What the forwarder is given beside its configuration. */
export interface ForwarderDependencies {
  readonly bus: Bus;
  readonly kv: KeyValue;
  readonly sensors: Sensors;
  readonly activity: ActivitySink;
  /** Name of this worker in claims. The same after a restart only where no second worker can have it. */
  readonly owner: string;
}

/** Consumer group of the forwarder, on the source events and the parked ones. */
export const forwarderGroup = 'observation-forwarder';

const settleEveryMs = 1_000;

const settleParking = (context: Context, care: ParkingCare): void => {
  let timer = context.clock.after(settleEveryMs, tick);
  function tick(): void {
    void care
      .settle()
      .catch((error: unknown) => context.log.warn({ err: error }, 'flags of parked integrations were not looked after'))
      .finally(() => (timer = context.clock.after(settleEveryMs, tick)));
  }
  context.lifecycle.onStop('parking', () => timer.cancel());
};

const createParkingParts = (context: Context, bus: Bus, { state }: KeyValue) => {
  const { clock, random } = context;
  const common = { bus, state, group: forwarderGroup, topic: topics.sourceEventsParked.name, clock, random };
  const flags = createParkingFlags(common);
  const parking = createParking({ ...common, flags });
  const care = createParkingCare({ ...common, flags, parking });
  return { flags, parking, care, rotation: createRotation({ bus, flags, context }) };
};

/** Joins the groups of both topics; they come to their end together. */
const subscribe = async (context: Context, parts: ForwardParts, subscriptions: Subscription[]): Promise<void> => {
  context.lifecycle.onStop('consumers', async () => {
    await Promise.all(subscriptions.map((subscription) => subscription.close()));
  });
  const common = { group: forwarderGroup, maxBatch: 500, deadLetterKind: 'observation' } as const;
  subscriptions.push(
    await parts.bus.consume({
      ...common,
      topic: topics.sourceEvents.name,
      lane: ({ key }) => integrationOfKey(key),
      handle: createForwardHandler(parts, true),
    }),
  );
  subscriptions.push(
    await parts.bus.consume({
      ...common,
      topic: topics.sourceEventsParked.name,
      // One integration may wait here for days with any number of events; others of its partition must get past them.
      maxAhead: Infinity,
      lane: ({ key }) => key,
      handle: createForwardHandler(parts, false),
    }),
  );
};

const consumers = 2;

const watch = ({ health }: Context, subscriptions: readonly Subscription[]): void => {
  const joined = (): boolean => subscriptions.length === consumers && subscriptions.every((s) => s.ready());
  health.addReadiness({ name: 'consumers joined', ok: joined });
  health.addLiveness({ name: 'consumers alive', ok: () => subscriptions.every((s) => s.alive()) });
};

/**
 * Starts the forwarder; its end is registered on the context's lifecycle. Returns the port of its health routes.
 * @param portVariable name of the variable that holds the port, for the sentence when it is taken
 */
export const compose = async (
  context: Context,
  { bus, kv, sensors, activity, owner }: ForwarderDependencies,
  config: ForwarderConfig,
  portVariable = 'PORT',
): Promise<{ port: number }> => {
  const { clock, random } = context;
  const { flags, parking, rotation, care } = createParkingParts(context, bus, kv);
  const sosWatch = createSosWatch(clock);
  const subscriptions: Subscription[] = [];
  const parts: ForwardParts = {
    context,
    bus,
    state: kv.state,
    sensors,
    dedup: createDedup(kv.state, clock),
    attempts: createAttempts(),
    failures: createFailures(clock, random, config.FORWARD_PARK_AFTER_MS),
    parking,
    rotation,
    notices: createNotices(activity, kv.state),
    sosWatch,
    owner,
    wake: (ids) => {
      for (const id of ids) for (const subscription of subscriptions) subscription.wake(id);
    },
  };
  settleParking(context, care);
  watch(context, subscriptions);
  measure(context, subscriptions, { parked: flags.met, sosWatch });
  // Health answers while a bus that is away is waited for.
  const port = await serveService(context, createApp(context), config, portVariable);
  await subscribe(context, parts, subscriptions);
  return { port };
};
