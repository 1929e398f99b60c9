import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { type Env, type EnvProblem, type kafkaEnv, refuseEnv } from '@ranger-relay/runtime';

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

const brokerProblems = ({ KAFKA_BROKERS: brokers }: KafkaEnv): readonly EnvProblem[] => {
  const variable = 'KAFKA_BROKERS';
  if (brokers === undefined)
    return [{ variable, problem: 'is not set; only `ranger-relay up` and its commands work without Kafka' }];
  const six = brokers.find(({ host }) => host.includes(':'));
  return six ? [{ variable, problem: `names ${six.host}, but must hold names or IPv4 addresses of brokers` }] : [];
};

const tlsFiles = ['KAFKA_TLS_CA_FILE', 'KAFKA_TLS_CERT_FILE', 'KAFKA_TLS_KEY_FILE'] as const;

const isReadable = (path: string): boolean => {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
};

const tlsProblems = (env: KafkaEnv): readonly EnvProblem[] => {
  const given = tlsFiles.filter((name) => env[name] !== undefined);
  if (!env.KAFKA_TLS) return given.map((variable) => ({ variable, problem: 'is set, but KAFKA_TLS is not true' }));
  const unreadable = given
    .filter((name) => !isReadable(env[name] ?? ''))
    .map((variable) => ({ variable, problem: `names ${env[variable]}, which cannot be read` }));
  const [, cert, key] = tlsFiles;
  const alone = given.includes(cert) === given.includes(key) ? [] : [given.includes(cert) ? key : cert];
  const problem = 'is not set; a certificate and its key require each other';
  return [...unreadable, ...alone.map((variable) => ({ variable, problem }))];
};

const saslProblems = (env: KafkaEnv): readonly EnvProblem[] => {
  const { KAFKA_SASL_MECHANISM: mechanism } = env;
  const login = ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'] as const;
  const isUsed = mechanism !== 'none';
  const problem = isUsed
    ? `is not set, but the login ${mechanism} needs it`
    : 'is set, but KAFKA_SASL_MECHANISM is none';
  return login.filter((name) => (env[name] === undefined) === isUsed).map((variable) => ({ variable, problem }));
};

/** What is wrong with the settings, the files they name included. */
export const kafkaProblems = (env: KafkaEnv): readonly EnvProblem[] => [
  ...brokerProblems(env),
  ...tlsProblems(env),
  ...saslProblems(env),
];

const tlsOf = (env: KafkaEnv): Pick<KafkaSettings, 'tls'> => {
  if (!env.KAFKA_TLS) return {};
  const members = { ca: env.KAFKA_TLS_CA_FILE, cert: env.KAFKA_TLS_CERT_FILE, key: env.KAFKA_TLS_KEY_FILE };
  const texts = Object.entries(members).flatMap(([name, path]) =>
    path === undefined ? [] : [[name, readFileSync(path, 'utf8')] as const],
  );
  return { tls: Object.fromEntries(texts) };
};

const saslOf = (env: KafkaEnv): Pick<KafkaSettings, 'sasl'> => {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = env;
  return mechanism === 'none' || username === undefined || password === undefined
    ? {}
    : { sasl: { mechanism, username, password } };
};

/**
 * Reads the settings from the environment.
 * @param service name of this process in the brokers' logs
 * @throws RelayError `config_invalid` naming the variables
 */
export const kafkaSettings = (env: KafkaEnv, service: string): KafkaSettings => {
  refuseEnv(kafkaProblems(env));
  return {
    brokers: (env.KAFKA_BROKERS ?? []).map(({ host, port }) => `${host}:${port}`),
    clientId: `${service}@${hostname()}`,
    prefix: env.KAFKA_PREFIX ?? '',
    sessionTimeoutMs: env.KAFKA_SESSION_TIMEOUT_MS,
    ...tlsOf(env),
    ...saslOf(env),
  };
};
