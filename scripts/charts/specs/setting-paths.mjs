/** @typedef {import('../entry.mjs').Probe} Probe */

/** Values that stand for variables of the bus: path → variable. */
export const kafka = {
  'kafka.brokers': 'KAFKA_BROKERS',
  'kafka.prefix': 'KAFKA_PREFIX',
  'kafka.sessionTimeoutMs': 'KAFKA_SESSION_TIMEOUT_MS',
  'kafka.tls.enabled': 'KAFKA_TLS',
  'kafka.tls.ca': 'KAFKA_TLS_CA_FILE',
  'kafka.sasl.mechanism': 'KAFKA_SASL_MECHANISM',
  'kafka.sasl.username': 'KAFKA_SASL_USERNAME',
  'kafka.sasl.password': 'KAFKA_SASL_PASSWORD',
};

/** The same of the store. */
export const redis = {
  'redis.host': 'KV_HOST',
  'redis.port': 'KV_PORT',
  'redis.username': 'KV_USERNAME',
  'redis.password': 'KV_PASSWORD',
  'redis.databases.state': 'KV_STATE_DB',
  'redis.databases.config': 'KV_CONFIGS_DB',
  'redis.tls.enabled': 'KV_TLS',
  'redis.tls.ca': 'KV_TLS_CA_FILE',
  'redis.sentinels.nodes': 'KV_SENTINELS',
  'redis.sentinels.master': 'KV_SENTINEL_MASTER',
  'redis.sentinels.username': 'KV_SENTINEL_USERNAME',
  'redis.sentinels.password': 'KV_SENTINEL_PASSWORD',
};

/** The same of the platform. */
export const platform = {
  'platform.apiUrl': 'PLATFORM_API_BASE_URL',
  'platform.sensorsUrl': 'PLATFORM_SENSORS_BASE_URL',
  'platform.tokenUrl': 'PLATFORM_TOKEN_URL',
  'platform.clientId': 'PLATFORM_CLIENT_ID',
  'platform.clientSecret': 'PLATFORM_CLIENT_SECRET',
  'platform.audience': 'PLATFORM_AUDIENCE',
  'platform.grant': 'PLATFORM_GRANT',
};

/** What a value needs beside it so that the chart takes it. @type {Readonly<Record<string, Probe['with']>>} */
export const company = {
  KAFKA_TLS_CA_FILE: { 'kafka.tls.enabled': true },
  KAFKA_SASL_MECHANISM: { 'kafka.sasl.username': 'u', 'kafka.sasl.password': { name: 's', key: 'k' } },
  KAFKA_SASL_USERNAME: { 'kafka.sasl.mechanism': 'plain', 'kafka.sasl.password': { name: 's', key: 'k' } },
  KAFKA_SASL_PASSWORD: { 'kafka.sasl.mechanism': 'plain', 'kafka.sasl.username': 'u' },
  KV_USERNAME: { 'redis.password': { name: 's', key: 'k' } },
  KV_TLS_CA_FILE: { 'redis.tls.enabled': true },
  KV_SENTINELS: { 'redis.host': '' },
  KV_SENTINEL_MASTER: { 'redis.host': '', 'redis.sentinels.nodes': 'sentinel:26379' },
  KV_SENTINEL_USERNAME: {
    'redis.host': '',
    'redis.sentinels.nodes': 'sentinel:26379',
    'redis.sentinels.password': { name: 's', key: 'k' },
  },
  KV_SENTINEL_PASSWORD: { 'redis.host': '', 'redis.sentinels.nodes': 'sentinel:26379' },
};

/** Samples in place of those that the variable's form gives. @type {Readonly<Record<string, string | number>>} */
export const samples = { KV_HOST: 'probe-store', KV_STATE_DB: 5, KV_CONFIGS_DB: 6 };

/** What a variable is for where only a cluster is meant. @type {Readonly<Record<string, string>>} */
export const abouts = {
  KAFKA_BROKERS: 'Kafka brokers of the message bus',
  KV_HOST: 'Host of the key-value store (Redis)',
  KV_SENTINELS: 'Redis Sentinels that name the present master, instead of redis.host',
};
