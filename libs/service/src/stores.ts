import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { KafkaBus, KafkaTopic } from '@ranger-relay/bus/kafka';
import { busRightsOf, busUsers, topics, type TopicSpec } from '@ranger-relay/contracts';
import type { KeyValue } from '@ranger-relay/kv';
import { type Context, type Env, type EnvProblem, type kafkaEnv, type kvEnv, repeat } from '@ranger-relay/runtime';
import { noteLost, watchBusWrites, type WatchedBus, watchTopics } from './bus-conditions.ts';

const pem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Expiration of the certificates in a PEM text, s since 1970; null without a certificate. A chain expires with its first certificate, a bundle
 * of authorities with its last one.
 */
export const expirationOf = (text: string, kind: 'chain' | 'authorities'): number | null => {
  const ends = (text.match(pem) ?? []).map((each) => Date.parse(new X509Certificate(each).validTo) / 1_000);
  if (ends.length === 0) return null;
  return kind === 'chain' ? Math.min(...ends) : Math.max(...ends);
};

/** Variables with the path of a certificate file. */
type CertificateVariable = 'KAFKA_TLS_CA_FILE' | 'KAFKA_TLS_CERT_FILE' | 'KV_TLS_CA_FILE';

const certificatesEveryMs = 3_600_000;
const warnDays = 14;
const dayMs = 86_400_000;

/**
 * Sets the metric of the expiration of certificate files at each scrape, and hourly `certificate_expiring` from 14 days before it. Reads the files
 * again each time, because they are renewed in place.
 */
export const watchCertificates = (
  {
    clock,
    metrics,
    log,
    conditions,
    lifecycle,
  }: Pick<Context, 'clock' | 'metrics' | 'log' | 'conditions' | 'lifecycle'>,
  env: { readonly [name in CertificateVariable]?: string | undefined },
  variables: readonly CertificateVariable[],
): void => {
  const show = async (variable: CertificateVariable, file: string): Promise<void> => {
    const kind = variable === 'KAFKA_TLS_CERT_FILE' ? 'chain' : 'authorities';
    try {
      const expires = expirationOf(await readFile(file, 'utf8'), kind);
      if (expires === null) return;
      metrics.set('relay_certificate_expiration_timestamp_seconds', expires, { variable });
      const days = Math.floor((expires * 1_000 - clock.now()) / dayMs);
      if (days < warnDays) conditions.set('certificate_expiring', variable, { days });
      else conditions.clear('certificate_expiring', variable);
    } catch (error) {
      log.debug({ err: error, variable }, 'the expiry of a certificate could not be read');
    }
  };
  const showAll = async (): Promise<void> => {
    for (const variable of variables) {
      const file = env[variable];
      if (file !== undefined) await show(variable, file);
    }
  };
  metrics.onScrape(showAll);
  const stop = repeat({ clock, everyMs: certificatesEveryMs }, showAll);
  lifecycle.onStop('certificates', () => void stop());
};

/** The catalogue with the configured names, and topics that only some installations have. */
export const topicsOf = (
  env: { readonly INTEGRATION_EVENTS_TOPIC: string },
  more: readonly TopicSpec[] = [],
): readonly TopicSpec[] => {
  const named = { ...topics, integrationEvents: { ...topics.integrationEvents, name: env.INTEGRATION_EVENTS_TOPIC } };
  return [...Object.values(named), ...more];
};

/** The topics that a process uses, with the operations that it needs; a process that is none of our services is all of them. */
export const usedTopics = (service: string, all: readonly TopicSpec[]): KafkaTopic[] => {
  const isOne = busUsers.some((user) => user === service);
  const users = busUsers.filter((user) => !isOne || user === service);
  return all.flatMap((topic) => {
    const rights = users.flatMap((user) => busRightsOf(user, { topics: [topic], prefix: '' }));
    const needed = new Set(rights.flatMap(({ kind, operations }) => (kind === 'topic' ? operations : [])));
    const operations = (['Read', 'Write'] as const).filter((operation) => needed.has(operation));
    return operations.length > 0 ? { ...topic, operations } : [];
  });
};
type StoresEnv = Env<typeof kafkaEnv> & Env<typeof kvEnv>;

/** What is wrong with how bus and store are reached, as far as they are elsewhere; nothing is called. */
export const storeProblems = async (env: StoresEnv): Promise<readonly EnvProblem[]> => [
  ...(env.KAFKA_BROKERS ? (await import('@ranger-relay/bus/kafka')).kafkaProblems(env) : []),
  ...(isElsewhere(env) ? (await import('@ranger-relay/kv/redis')).redisProblems(env) : []),
];

/** Whether a store is configured. */
export const isElsewhere = ({ KV_HOST, KV_SENTINELS }: Pick<StoresEnv, 'KV_HOST' | 'KV_SENTINELS'>): boolean =>
  KV_HOST !== undefined || KV_SENTINELS !== undefined;

/** A service that runs alone has its store on localhost unless another one is configured. */
export const withStore = <T extends Env<typeof kvEnv>>(env: T): T =>
  isElsewhere(env) ? env : { ...env, KV_HOST: 'localhost' };

/** Opens the configured bus and registers its shutdown. @throws RelayError `config_invalid` */
export const connectBus = async (
  context: Context,
  env: Env<typeof kafkaEnv> & { readonly INTEGRATION_EVENTS_TOPIC: string },
  service: string,
  more: readonly TopicSpec[] = [],
): Promise<WatchedBus<KafkaBus>> => {
  // Loaded on demand: `ranger-relay up` does not need it, and it takes memory.
  const { kafkaSettings, openKafkaBus } = await import('@ranger-relay/bus/kafka');
  const { clock, random, log, metrics, health, lifecycle } = context;
  const settings = kafkaSettings(env, service);
  const opened = openKafkaBus({
    settings,
    topics: usedTopics(service, topicsOf(env, more)),
    clock,
    random,
    log,
    metrics,
    onLost: noteLost(context),
  });
  const bus = watchBusWrites(context, opened);
  lifecycle.onStop('bus', () => bus.close());
  watchTopics(context, bus);
  watchCertificates(context, env, ['KAFKA_TLS_CA_FILE', 'KAFKA_TLS_CERT_FILE']);
  health.addReadiness({
    // The readiness response shows the name, so it states the problem.
    get name() {
      return `bus: ${bus.problem() ?? 'it is closed'}`;
    },
    ok: () => bus.ready(),
  });
  return bus;
};

/** Opens the configured store, or the one on localhost, and registers its shutdown. @throws RelayError `config_invalid` */
export const connectKv = async (context: Context, env: Env<typeof kvEnv>): Promise<KeyValue> => {
  const { openRedisKv, redisSettings } = await import('@ranger-relay/kv/redis');
  const { clock, log, metrics, random, lifecycle } = context;
  const kv = openRedisKv({ settings: redisSettings(withStore(env)), clock, random, log, metrics });
  lifecycle.onStop('store', () => kv.close());
  watchCertificates(context, env, ['KV_TLS_CA_FILE']);
  metrics.onScrape(() => metrics.set('relay_store_ready', kv.ready() ? 1 : 0, { store: 'redis' }));
  return kv;
};
