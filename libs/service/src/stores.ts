import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { KafkaBus } from '@ranger-relay/bus/kafka';
import { topics, type TopicSpec } from '@ranger-relay/contracts';
import type { KeyValue } from '@ranger-relay/kv';
import type { Context, Env, kafkaEnv, kvEnv } from '@ranger-relay/runtime';

const pem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * When the certificates of a PEM text stop serving, s since 1970; null when it holds none. A chain ends with the first certificate of it that expires,
 * a bundle of authorities with the last one.
 */
export const expirationOf = (text: string, kind: 'chain' | 'authorities'): number | null => {
  const ends = (text.match(pem) ?? []).map((each) => Date.parse(new X509Certificate(each).validTo) / 1_000);
  if (ends.length === 0) return null;
  return kind === 'chain' ? Math.min(...ends) : Math.max(...ends);
};

/** Variables that may name a file of certificates. */
type CertificateVariable = 'KAFKA_TLS_CA_FILE' | 'KAFKA_TLS_CERT_FILE' | 'KV_TLS_CA_FILE';

/** Shows at each scrape when the files that the variables name expire; they are read anew, since they are renewed in place. */
export const watchCertificates = (
  { metrics, log }: Pick<Context, 'metrics' | 'log'>,
  env: { readonly [name in CertificateVariable]?: string | undefined },
  variables: readonly CertificateVariable[],
): void => {
  const show = async (variable: CertificateVariable, file: string): Promise<void> => {
    const kind = variable === 'KAFKA_TLS_CERT_FILE' ? 'chain' : 'authorities';
    try {
      const expires = expirationOf(await readFile(file, 'utf8'), kind);
      if (expires !== null) metrics.set('relay_certificate_expiration_timestamp_seconds', expires, { variable });
    } catch (error) {
      log.debug({ err: error, variable }, 'the expiry of a certificate could not be read');
    }
  };
  metrics.onScrape(async () => {
    for (const variable of variables) {
      const file = env[variable];
      if (file !== undefined) await show(variable, file);
    }
  });
};

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
