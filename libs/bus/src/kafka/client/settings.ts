import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { RelayError } from '@ranger-relay/errors';
import type { Env, kafkaEnv } from '@ranger-relay/runtime';

/** Settings of the connection to the brokers. */
export interface KafkaSettings {
  /** `host:port` of one or more brokers; the client learns the others from them. */
  readonly brokers: readonly string[];
  /** Name of this process in the brokers' logs. */
  readonly clientId: string;
  /** Enables TLS, with PEM texts; an empty object trusts the system's authorities. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  readonly sasl?: {
    readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
    readonly username: string;
    readonly password: string;
  };
  /** Prefix of the names of topics and groups, so that several installations can share brokers. */
  readonly prefix: string;
  /** A member without a heartbeat for this long loses its partitions, ms. */
  readonly sessionTimeoutMs: number;
}

/** Time limits of a client, ms. Each is shorter than the one around it: a request than a publish, a publish than a webhook. */
export const waits = {
  connect: 1_000,
  request: 2_000,
  /** How long a broker may wait for its replicas before it answers a produce request. */
  acks: 1_500,
  /** How long a broker delays the response to a fetch when there is no new record. */
  fetch: 250,
  /** The same when all fetches of a request wait for new records. */
  idleFetch: 1_000,
  metadataAge: 60_000,
  retry: { retries: 1, initialRetryTime: 100, maxRetryTime: 500 },
} as const;

type KafkaEnv = Env<typeof kafkaEnv>;

const refuse = (variable: string, problem: string, cause?: unknown): RelayError =>
  new RelayError('config_invalid', { details: { variable, problem }, cause });

const fileOf = (env: KafkaEnv, variable: 'KAFKA_TLS_CA_FILE' | 'KAFKA_TLS_CERT_FILE' | 'KAFKA_TLS_KEY_FILE') => {
  const path = env[variable];
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw refuse(variable, `names ${path}, which cannot be read`, error);
  }
};

const tlsOf = (env: KafkaEnv): Pick<KafkaSettings, 'tls'> => {
  const files = ['KAFKA_TLS_CA_FILE', 'KAFKA_TLS_CERT_FILE', 'KAFKA_TLS_KEY_FILE'] as const;
  const idle = env.KAFKA_TLS ? undefined : files.find((name) => env[name] !== undefined);
  if (idle) throw refuse(idle, 'is set, but KAFKA_TLS is not true');
  if (!env.KAFKA_TLS) return {};
  const [ca, cert, key] = files.map((name) => fileOf(env, name));
  if ((cert === undefined) !== (key === undefined))
    throw refuse(cert === undefined ? files[1] : files[2], 'is not set; a certificate and its key require each other');
  return {
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    },
  };
};

const saslOf = (env: KafkaEnv): Pick<KafkaSettings, 'sasl'> => {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = env;
  if (mechanism === 'none') {
    const idle = username === undefined ? (password === undefined ? undefined : 'PASSWORD') : 'USERNAME';
    if (idle) throw refuse(`KAFKA_SASL_${idle}`, 'is set, but KAFKA_SASL_MECHANISM is none');
    return {};
  }
  if (username === undefined) throw refuse('KAFKA_SASL_USERNAME', `is not set, but the login ${mechanism} needs it`);
  if (password === undefined) throw refuse('KAFKA_SASL_PASSWORD', `is not set, but the login ${mechanism} needs it`);
  return { sasl: { mechanism, username, password } };
};

/**
 * Reads the settings from the environment.
 * @param service name of this process in the brokers' logs
 * @throws RelayError `config_invalid` naming the variable
 */
export const kafkaSettings = (env: KafkaEnv, service: string): KafkaSettings => {
  if (env.KAFKA_BROKERS === undefined)
    throw refuse('KAFKA_BROKERS', 'is not set; a single service needs it, `ranger-relay up` runs without');
  const six = env.KAFKA_BROKERS.find(({ host }) => host.includes(':'));
  if (six) throw refuse('KAFKA_BROKERS', `names ${six.host}, but must hold names or IPv4 addresses of brokers`);
  return {
    brokers: env.KAFKA_BROKERS.map(({ host, port }) => `${host}:${port}`),
    clientId: `${service}@${hostname()}`,
    prefix: env.KAFKA_PREFIX ?? '',
    sessionTimeoutMs: env.KAFKA_SESSION_TIMEOUT_MS,
    ...tlsOf(env),
    ...saslOf(env),
  };
};
