import type { Bus } from '@ranger-relay/bus';
import { createHttpClient, type HttpClient } from '@ranger-relay/http';
import type { KeyValue } from '@ranger-relay/kv';
import { createPlatform, type Platform, type PlatformSettings } from '@ranger-relay/platform';
import type { Context } from '@ranger-relay/runtime';
import type { ConnectEnv } from './env.ts';

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
