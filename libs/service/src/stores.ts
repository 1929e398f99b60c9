import type { KafkaBus } from '@ranger-relay/bus/kafka';
import { topics, type TopicSpec } from '@ranger-relay/contracts';
import type { KeyValue } from '@ranger-relay/kv';
import type { Context, Env, kafkaEnv, kvEnv } from '@ranger-relay/runtime';
import { watchCertificates } from './certificates.ts';

/** The catalogue with the names that the environment gives, and topics that only some installations have. */
export const topicsOf = (
  env: { readonly INTEGRATION_EVENTS_TOPIC: string },
  more: readonly TopicSpec[] = [],
): readonly TopicSpec[] => {
  const named = { ...topics, integrationEvents: { ...topics.integrationEvents, name: env.INTEGRATION_EVENTS_TOPIC } };
  return [...Object.values(named), ...more];
};

/** Opens the bus that the environment names; its end is registered. @throws RelayError `config_invalid` */
export const connectBus = async (
  context: Context,
  env: Env<typeof kafkaEnv> & { readonly INTEGRATION_EVENTS_TOPIC: string },
  service: string,
  more: readonly TopicSpec[] = [],
): Promise<KafkaBus> => {
  // Loaded only where it is used: on one machine nobody needs it, and it takes memory.
  const { kafkaSettings, openKafkaBus } = await import('@ranger-relay/bus/kafka');
  const { clock, random, log, metrics, health, lifecycle } = context;
  const settings = kafkaSettings(env, service);
  const bus = openKafkaBus({ settings, topics: topicsOf(env, more), clock, random, log, metrics });
  lifecycle.onStop('bus', () => bus.close());
  watchCertificates(context, env, ['KAFKA_TLS_CA_FILE', 'KAFKA_TLS_CERT_FILE']);
  health.addReadiness({
    // The name is what a person reads: it says what is missing.
    get name() {
      return `bus: ${bus.problem() ?? 'it is closed'}`;
    },
    ok: () => bus.ready(),
  });
  return bus;
};

/**
 * Opens the store that the environment names, on this machine when it names none; its end is registered.
 * @throws RelayError `config_invalid`
 */
export const connectKv = async (context: Context, env: Env<typeof kvEnv>): Promise<KeyValue> => {
  const { openRedisKv, redisSettings } = await import('@ranger-relay/kv/redis');
  const { clock, log, metrics, random, lifecycle } = context;
  const here = env.KV_HOST === undefined && env.KV_SENTINELS === undefined ? { KV_HOST: 'localhost' } : {};
  const kv = openRedisKv({ settings: redisSettings({ ...env, ...here }), clock, random, log, metrics });
  lifecycle.onStop('store', () => kv.close());
  watchCertificates(context, env, ['KV_TLS_CA_FILE']);
  metrics.onScrape(() => metrics.set('relay_store_ready', kv.ready() ? 1 : 0, { store: 'redis' }));
  return kv;
};
