import type { Bus } from '@ranger-relay/bus';
import { createHttpClient, type HttpClient, type HttpClientOptions } from '@ranger-relay/http';
import type { KeyValue } from '@ranger-relay/kv';
import { createPlatform, type Platform, type PlatformSettings } from '@ranger-relay/platform';
import { commonEnv, type Context, type Env, type EnvTable, kafkaEnv, kvEnv, platformEnv } from '@ranger-relay/runtime';

/** Variables that every service reads in addition to its own when it runs alone. */
export const aloneEnv = {
  ...kafkaEnv,
  KAFKA_BROKERS: { ...kafkaEnv.KAFKA_BROKERS, required: true, description: 'Kafka brokers of the message bus' },
  ...kvEnv,
  KV_HOST: {
    ...kvEnv.KV_HOST,
    description: 'Host of the key-value store (Redis); if neither this nor KV_SENTINELS is set, localhost',
  },
  STOP_GRACE_S: commonEnv.STOP_GRACE_S,
} as const satisfies EnvTable;

/** Variables of the connections; the table of each service contains them. */
export type ConnectEnv = Env<typeof kafkaEnv> &
  Env<typeof kvEnv> &
  Env<typeof platformEnv> &
  Pick<Env<typeof commonEnv>, 'HTTP_ALLOWED_NETWORKS' | 'INTEGRATION_EVENTS_TOPIC'> & {
    /** Slug of the integration type whose webhook the activity entries name. */
    readonly INTEGRATION_TYPE_SLUG: string;
  };

const flushMs = 2_000;

/**
 * Creates the platform with its own connections and follows its config events; registers the shutdown on the context's lifecycle.
 * @param createClient makes each HTTP client
 */
export const connectPlatform = (
  context: Context,
  { bus, kv }: { readonly bus: Bus; readonly kv: KeyValue },
  env: Pick<ConnectEnv, 'HTTP_ALLOWED_NETWORKS' | 'INTEGRATION_EVENTS_TOPIC' | 'INTEGRATION_TYPE_SLUG'>,
  settings: PlatformSettings,
  createClient: (options: HttpClientOptions) => HttpClient = createHttpClient,
): Platform => {
  const { clock, metrics, lifecycle } = context;
  const clientOf = (upstream: string, maxSockets: number): HttpClient =>
    createClient({
      clock,
      metrics,
      allowedNetworks: env.HTTP_ALLOWED_NETWORKS,
      userAgent: 'ranger-relay',
      upstream,
      maxSockets,
    });
  const http = clientOf('platform', 16);
  // Each integration has few calls in flight, so the limits only bound how many integrations are served at the same time.
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
