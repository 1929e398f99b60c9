import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { RelayError } from '@ranger-relay/errors';
import type { Env, kafkaEnv } from '@ranger-relay/runtime';
import type { KafkaSettings } from './settings.ts';

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
 * How to reach the brokers, from the environment. `service` names this process in their logs.
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
