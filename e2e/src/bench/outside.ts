import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedBus, type Bus } from '@ranger-relay/bus';
import { topics, type TopicSpec } from '@ranger-relay/contracts';
import { createHttpClient } from '@ranger-relay/http';
import { openEmbeddedKv, type KeyValue } from '@ranger-relay/kv';
import { createPlatform, platformSettings, type Platform } from '@ranger-relay/platform';
import { commonEnv, createContext, kafkaEnv, kvEnv, parseEnv, platformEnv, type Context } from '@ranger-relay/runtime';
import { connectBus, connectKv } from '@ranger-relay/service';

/** Dependencies of a service of the bench: real stores and the real client of a simulated platform. */
export interface Ground {
  readonly context: Context;
  readonly bus: Bus;
  readonly kv: KeyValue;
  readonly platform: Platform;
  /** Round trips to the store so far, as the service counts them; embedded stores have none. */
  roundTrips(): Promise<number>;
}

type Stores = Pick<Ground, 'bus' | 'kv'>;

const openFiles = async (
  dir: string,
  { clock, random, log, metrics }: Context,
  more: readonly TopicSpec[],
): Promise<Stores> => ({
  bus: await openEmbeddedBus({
    path: join(dir, 'bus.sqlite'),
    topics: [...Object.values(topics), ...more],
    clock,
    random,
    log,
    metrics,
  }),
  kv: await openEmbeddedKv({ path: join(dir, 'kv.sqlite'), clock, log }),
});

const storesEnv = { ...kafkaEnv, ...kvEnv, INTEGRATION_EVENTS_TOPIC: commonEnv.INTEGRATION_EVENTS_TOPIC };

const connect = async (context: Context, service: string, more: readonly TopicSpec[]): Promise<Stores> => {
  const env = parseEnv(storesEnv, process.env);
  const bus = await connectBus(context, env, service, more);
  while (!bus.ready()) await context.clock.sleep(20);
  return { bus, kv: await connectKv(context, env) };
};

/**
 * Opens the platform and the stores that the environment names, else files in a directory of its own. SIGTERM closes and removes them.
 * @param more topics that the service has beside those of the catalogue
 */
export const openGround = async (service: string, more: readonly TopicSpec[] = []): Promise<Ground> => {
  const dir = mkdtempSync(join(tmpdir(), 'ranger-relay-bench-'));
  const context = createContext({ service, level: 'warn' });
  const { clock } = context;
  const isRemote = process.env['KAFKA_BROKERS'] !== undefined;
  const { bus, kv } = isRemote ? await connect(context, service, more) : await openFiles(dir, context, more);
  const http = createHttpClient({
    clock,
    allowedNetworks: ['127.0.0.0/8'],
    userAgent: 'bench',
    upstream: 'platform',
    maxSockets: 64,
  });
  const platform = createPlatform({
    settings: platformSettings(parseEnv(platformEnv, process.env)),
    http,
    kv,
    bus,
    context,
    activityTopic: topics.integrationEvents.name,
    typeSlug: 'device_connector',
  });
  const close = async (): Promise<void> => {
    await context.lifecycle.stop();
    http.close();
    await kv.close();
    await bus.close();
    rmSync(dir, { recursive: true, force: true });
    process.disconnect();
  };
  process.once('SIGTERM', () => void close());
  return {
    context,
    bus,
    kv,
    platform,
    async roundTrips() {
      const lines = (await context.metrics.render()).split('\n');
      const counted = lines.filter((line) => line.startsWith('relay_kv_round_trips_total'));
      return counted.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    },
  };
};
