import { addresses, brokers, flag, host, integer, networks, oneOf, path, port, text, topic, url } from './kinds.ts';
import { tracingEnv } from '../tracing/env.ts';
import type { EnvTable } from './table.ts';

/** Variables of calls to the platform. */
export const platformEnv = {
  PLATFORM_API_BASE_URL: { kind: url(), description: 'Address of the platform API' },
  PLATFORM_SENSORS_BASE_URL: { kind: url(), description: 'Address of the platform sensors API' },
  PLATFORM_TOKEN_URL: { kind: url(), description: 'Token endpoint of the platform API' },
  PLATFORM_CLIENT_ID: { kind: text(), description: 'Client id of the token request' },
  PLATFORM_CLIENT_SECRET: { kind: text(), secret: true, description: 'Client secret of the token request' },
  PLATFORM_CLIENT_SECRET_PREVIOUS: {
    kind: text(),
    secret: true,
    description: 'Previous client secret, to read configuration in the store that is encrypted with it',
  },
  PLATFORM_AUDIENCE: { kind: text(), description: 'Audience of the token, if the platform requires one' },
  PLATFORM_GRANT: {
    kind: oneOf('client_credentials', 'uma-ticket'),
    default: 'client_credentials',
    description: 'Grant type of the token request',
  },
} as const satisfies EnvTable;

/** Variables of the key-value store. */
export const kvEnv = {
  KV_HOST: {
    kind: { ...host(), format: 'one host name or address (no URL, no list; a Redis Cluster cannot be used)' },
    description: 'Host of the key-value store (Redis); if not set, `up` uses an embedded one',
  },
  KV_PORT: { kind: port(), default: '6379', description: 'Port of the key-value store' },
  KV_STATE_DB: { kind: integer(0, 15), default: '0', description: 'Database for state' },
  KV_CONFIGS_DB: { kind: integer(0, 15), default: '1', description: 'Database for cached configuration' },
  KV_USERNAME: { kind: text(), description: 'User of the key-value store; if not set, its default user' },
  KV_PASSWORD: { kind: text(), secret: true, description: 'Password of the key-value store' },
  KV_TLS: {
    kind: flag(),
    default: 'false',
    description: 'Whether to use TLS with the key-value store and its sentinels',
  },
  KV_TLS_CA_FILE: { kind: path(), description: 'Authorities (PEM) to trust instead of the well-known ones' },
  KV_SENTINELS: {
    kind: addresses(),
    description: 'Redis Sentinels that report the current master, instead of KV_HOST',
  },
  KV_SENTINEL_MASTER: {
    kind: text(200),
    default: 'mymaster',
    description: 'Name of the master that the sentinels watch',
  },
  KV_SENTINEL_USERNAME: { kind: text(), description: 'User of the sentinels, if they require one' },
  KV_SENTINEL_PASSWORD: { kind: text(), secret: true, description: 'Password of the sentinels, if they require one' },
} as const satisfies EnvTable;

/** Variables of the message bus on Kafka. */
export const kafkaEnv = {
  KAFKA_BROKERS: {
    kind: brokers(),
    description: 'Kafka brokers of the message bus; if not set, `up` uses an embedded bus',
  },
  KAFKA_PREFIX: {
    kind: topic(100),
    description: 'Prefix of the names of topics and groups, so that several installations can share brokers',
  },
  KAFKA_TLS: { kind: flag(), default: 'false', description: 'Whether to use TLS with the brokers' },
  KAFKA_TLS_CA_FILE: { kind: path(), description: 'Authorities (PEM) to trust instead of the well-known ones' },
  KAFKA_TLS_CERT_FILE: { kind: path(), description: 'Client certificate (PEM), if the brokers require one' },
  KAFKA_TLS_KEY_FILE: { kind: path(), description: 'Key (PEM) of the client certificate' },
  KAFKA_SASL_MECHANISM: {
    kind: oneOf('none', 'plain', 'scram-sha-256', 'scram-sha-512'),
    default: 'none',
    description: 'SASL mechanism of the login to the brokers',
  },
  KAFKA_SASL_USERNAME: { kind: text(), description: 'User of the login' },
  KAFKA_SASL_PASSWORD: { kind: text(), secret: true, description: 'Password of the login' },
  KAFKA_SESSION_TIMEOUT_MS: {
    kind: integer(1_000, 300_000),
    default: '10000',
    description: 'Time without heartbeat after which a replica loses its partitions, within the limits of the brokers',
  },
} as const satisfies EnvTable;

/** A shorter token of a caller can be guessed; no real one is so short. */
export const minTokenLength = 8;

/** Variables that every service reads. */
export const commonEnv = {
  LOG_LEVEL: {
    kind: oneOf('debug', 'info', 'warn', 'error', 'silent'),
    default: 'info',
    description: 'Lowest level of logged lines',
  },
  HOST: { kind: host(), default: '::', description: 'Address to listen on; `::` means all addresses, IPv4 and IPv6' },
  HEALTH_PORT: {
    kind: port(),
    description: 'Second port for /livez, /readyz and /metrics; if not set, the service’s own port',
  },
  STOP_GRACE_S: {
    kind: integer(15, 7_200),
    default: '25',
    description:
      'Time limit of a shutdown, seconds; running actions get all of it except 14. The default is 80 for a service that sends texts',
  },
  HTTP_ALLOWED_NETWORKS: {
    kind: networks(),
    default: '',
    description: 'Private networks that outgoing calls may reach, even with plain http',
  },
  HTTPS_PROXY: {
    kind: url(),
    description:
      'Proxy for outgoing https calls, as https_proxy too; HTTP_ALLOWED_NETWORKS must contain its address if that is private',
  },
  HTTP_PROXY: { kind: url(), description: 'Proxy for outgoing calls by plain http, likewise' },
  NO_PROXY: {
    kind: text(),
    description: 'Hosts that are called without the proxy, separated by commas; loopback never has one',
  },
  INTEGRATION_EVENTS_TOPIC: { kind: topic(), default: 'integration-events', description: 'Topic of the activity log' },
  ...tracingEnv,
} as const satisfies EnvTable;
