import { addresses, brokers, flag, host, integer, networks, oneOf, path, port, text, topic, url } from './kinds.ts';
import { tracingEnv } from '../tracing/env.ts';
import type { EnvTable } from './table.ts';

/** Variables of calls to the platform. */
export const platformEnv = {
  PLATFORM_API_BASE_URL: { kind: url(), description: 'Address of the platform API' },
  PLATFORM_SENSORS_BASE_URL: { kind: url(), description: 'Address of the platform sensors API' },
  PLATFORM_TOKEN_URL: { kind: url(), description: 'Address that gives tokens for the platform API' },
  PLATFORM_CLIENT_ID: { kind: text(), description: 'Client id for the token call' },
  PLATFORM_CLIENT_SECRET: { kind: text(), secret: true, description: 'Client secret for the token call' },
  PLATFORM_CLIENT_SECRET_PREVIOUS: {
    kind: text(),
    secret: true,
    description: 'The client secret before: configuration in the store that was encrypted with it is read',
  },
  PLATFORM_AUDIENCE: { kind: text(), description: 'Audience of the token, when the platform wants one' },
  PLATFORM_GRANT: {
    kind: oneOf('client_credentials', 'uma-ticket'),
    default: 'client_credentials',
    description: 'Grant of the token call',
  },
} as const satisfies EnvTable;

/** Variables of the key-value store. */
export const kvEnv = {
  KV_HOST: {
    kind: { ...host(), format: 'one host name or address (no URL, no list; a Redis Cluster cannot be used)' },
    description: 'Host of the key-value store (Redis); `up` keeps an embedded one when it is not set',
  },
  KV_PORT: { kind: port(), default: '6379', description: 'Port of the key-value store' },
  KV_STATE_DB: { kind: integer(0, 15), default: '0', description: 'Database for state' },
  KV_CONFIGS_DB: { kind: integer(0, 15), default: '1', description: 'Database for cached configuration' },
  KV_USERNAME: { kind: text(), description: 'User of the key-value store; its default user when not set' },
  KV_PASSWORD: { kind: text(), secret: true, description: 'Password of the key-value store' },
  KV_TLS: {
    kind: flag(),
    default: 'false',
    description: 'Whether to speak TLS with the key-value store and its sentinels',
  },
  KV_TLS_CA_FILE: { kind: path(), description: 'Certificates (PEM) to trust instead of the well-known ones' },
  KV_SENTINELS: { kind: addresses(), description: 'Redis Sentinels that name the present master, instead of KV_HOST' },
  KV_SENTINEL_MASTER: {
    kind: text(200),
    default: 'mymaster',
    description: 'Name of the master that the sentinels watch',
  },
  KV_SENTINEL_USERNAME: { kind: text(), description: 'User of the sentinels, when they want one' },
  KV_SENTINEL_PASSWORD: { kind: text(), secret: true, description: 'Password of the sentinels, when they want one' },
} as const satisfies EnvTable;

/** Variables of the message bus on Kafka. */
export const kafkaEnv = {
  KAFKA_BROKERS: {
    kind: brokers(),
    description: 'Kafka brokers of the message bus; `up` keeps an embedded bus when it is not set',
  },
  KAFKA_PREFIX: {
    kind: topic(100),
    description: 'Put before the names of topics and groups, so that several installations can share brokers',
  },
  KAFKA_TLS: { kind: flag(), default: 'false', description: 'Whether to speak TLS with the brokers' },
  KAFKA_TLS_CA_FILE: { kind: path(), description: 'Certificates (PEM) to trust instead of the well-known ones' },
  KAFKA_TLS_CERT_FILE: { kind: path(), description: 'Own certificate (PEM), when the brokers want one' },
  KAFKA_TLS_KEY_FILE: { kind: path(), description: 'Key (PEM) of the own certificate' },
  KAFKA_SASL_MECHANISM: {
    kind: oneOf('none', 'plain', 'scram-sha-256', 'scram-sha-512'),
    default: 'none',
    description: 'How to log in at the brokers',
  },
  KAFKA_SASL_USERNAME: { kind: text(), description: 'User of the login' },
  KAFKA_SASL_PASSWORD: { kind: text(), secret: true, description: 'Password of the login' },
  KAFKA_SESSION_TIMEOUT_MS: {
    kind: integer(1_000, 300_000),
    default: '10000',
    description:
      'A replica that is silent for so long loses its partitions to the others; within what the brokers allow',
  },
} as const satisfies EnvTable;

/** Variables that every service reads. */
export const commonEnv = {
  LOG_LEVEL: {
    kind: oneOf('debug', 'info', 'warn', 'error', 'silent'),
    default: 'info',
    description: 'From which level on lines are logged',
  },
  HOST: { kind: host(), default: '::', description: 'Address to listen on; `::` is every one, IPv4 and IPv6' },
  HEALTH_PORT: {
    kind: port(),
    description: 'Second port for /livez, /readyz and /metrics; the service’s own port when not set',
  },
  STOP_GRACE_S: {
    kind: integer(15, 7_200),
    default: '25',
    description:
      'How long the end of a process may take, seconds; runs of actions under way get all of it but 14. 80 where texts are sent',
  },
  HTTP_ALLOWED_NETWORKS: {
    kind: networks(),
    default: '',
    description: 'Private networks that outgoing calls may reach, also with plain http',
  },
  INTEGRATION_EVENTS_TOPIC: { kind: topic(), default: 'integration-events', description: 'Topic of the activity log' },
  ...tracingEnv,
} as const satisfies EnvTable;
