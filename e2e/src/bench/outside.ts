import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedBus, type EmbeddedBus } from '@ranger-relay/bus';
import { topics } from '@ranger-relay/contracts';
import { createHttpClient } from '@ranger-relay/http';
import { openEmbeddedKv, type KeyValue } from '@ranger-relay/kv';
import { createPlatform, type Platform } from '@ranger-relay/platform';
import { createContext, type Context } from '@ranger-relay/runtime';

/** What a service of the bench stands on: the real embedded stores and the real client of a simulated platform. */
export interface Ground {
  readonly context: Context;
  readonly bus: EmbeddedBus;
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

/** Opens everything in a directory of its own, removed at the end. */
export const openGround = async (service: string, outside: PlatformFacts): Promise<Ground> => {
  const dir = mkdtempSync(join(tmpdir(), 'ranger-relay-bench-'));
  const context = createContext({ service, level: 'warn' });
  const { clock, random, log, metrics } = context;
  const bus = await openEmbeddedBus({
    path: join(dir, 'bus.sqlite'),
    topics: Object.values(topics),
    clock,
    random,
    log,
    metrics,
  });
  const kv = await openEmbeddedKv({ path: join(dir, 'kv.sqlite'), clock, log });
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
