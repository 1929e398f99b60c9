import type { Bus } from '@ranger-relay/bus';
import { createHttpClient, type HttpClient } from '@ranger-relay/http';
import type { KeyValue } from '@ranger-relay/kv';
import { createPlatform, type Platform, type PlatformSettings } from '@ranger-relay/platform';
import { commonEnv, type Context, type Env, type EnvTable, kafkaEnv, kvEnv, platformEnv } from '@ranger-relay/runtime';

/** What every service reads beside its own variables when it runs alone. */
export const aloneEnv = {
  ...kafkaEnv,
  KAFKA_BROKERS: { ...kafkaEnv.KAFKA_BROKERS, required: true, description: 'Kafka brokers of the message bus' },
  ...kvEnv,
  KV_HOST: {
    ...kvEnv.KV_HOST,
    description: 'Host of the key-value store (Redis); localhost when neither this nor KV_SENTINELS is set',
  },
  STOP_GRACE_S: commonEnv.STOP_GRACE_S,
} as const satisfies EnvTable;

/** Variables that connecting reads; each service's table has them. */
export type ConnectEnv = Env<typeof kafkaEnv> &
  Env<typeof kvEnv> &
  Env<typeof platformEnv> &
  Pick<Env<typeof commonEnv>, 'HTTP_ALLOWED_NETWORKS' | 'INTEGRATION_EVENTS_TOPIC'> & {
    /** Slug of the integration type whose webhook activity entries name. */
    readonly INTEGRATION_TYPE_SLUG: string;
  };

const flushMs = 2_000;

/** Builds the platform with its own connections and follows its config events; the ends are registered on the context's lifecycle. */
export const connectPlatform = (
  context: Context,
  { bus, kv }: { readonly bus: Bus; readonly kv: KeyValue },
  env: Pick<ConnectEnv, 'HTTP_ALLOWED_NETWORKS' | 'INTEGRATION_EVENTS_TOPIC' | 'INTEGRATION_TYPE_SLUG'>,
  settings: PlatformSettings,
): Platform => {
  const { clock, metrics, lifecycle } = context;
  const clientOf = (upstream: string, maxSockets: number): HttpClient =>
    createHttpClient({
      clock,
      metrics,
      allowedNetworks: env.HTTP_ALLOWED_NETWORKS,
      userAgent: 'ranger-relay',
      upstream,
      maxSockets,
    });
  const http = clientOf('platform', 16);
  // Each integration has few calls in flight; the connections only bound how many integrations there are.
  const sensorsHttp = {
    live: clientOf('sensors', 512),
    parked: clientOf('sensors', 256),
    emergency: clientOf('sensors', 256),
  };
  const platform = createPlatform({
    settings,
    http,
    sensorsHttp,
    kv,
    bus,
    context,
    activityTopic: env.INTEGRATION_EVENTS_TOPIC,
    typeSlug: env.INTEGRATION_TYPE_SLUG,
  });
  const following = platform.followConfigEvents();
  lifecycle.onStop('platform connections', () => http.close());
  lifecycle.onStop('sensors connections', () => {
    for (const client of Object.values(sensorsHttp)) client.close();
  });
  lifecycle.onStop('activity log', () => platform.activity.flush(flushMs));
  lifecycle.onStop('config events', () => following.close());
  return platform;
};
