import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedBus, type Bus } from '@ranger-relay/bus';
import { topics, type TopicSpec } from '@ranger-relay/contracts';
import { createHttpClient } from '@ranger-relay/http';
import { openEmbeddedKv, type KeyValue } from '@ranger-relay/kv';
import { createPlatform, type Platform } from '@ranger-relay/platform';
import { commonEnv, createContext, kafkaEnv, kvEnv, parseEnv, type Context } from '@ranger-relay/runtime';
import { connectBus, connectKv } from '@ranger-relay/service';

/** Dependencies of a service of the bench: real stores and the real client of a simulated platform. */
export interface Ground {
  readonly context: Context;
  readonly bus: Bus;
  readonly kv: KeyValue;
  readonly platform: Platform;
  close(): Promise<void>;
}

/** Where the simulated platform is, as its process announces it. */
export interface PlatformFacts {
  readonly apiBaseUrl: string;
  readonly sensorsBaseUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

interface Stores {
  readonly bus: Bus;
  readonly kv: KeyValue;
}

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
 * Opens the stores that the environment names, else files in a directory of its own, removed at the end.
 * @param more topics that the service has beside those of the catalogue
 */
export const openGround = async (
  service: string,
  outside: PlatformFacts,
  more: readonly TopicSpec[] = [],
): Promise<Ground> => {
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
    settings: { ...outside, grant: 'client_credentials' },
    http,
    kv,
    bus,
    context,
    activityTopic: topics.integrationEvents.name,
    typeSlug: 'device_connector',
  });
  return {
    context,
    bus,
    kv,
    platform,
    async close() {
      await context.lifecycle.stop();
      http.close();
      await kv.close();
      await bus.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
};
