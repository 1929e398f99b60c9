import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { type Env, type EnvProblem, type kvEnv, refuseEnv } from '@ranger-relay/runtime';

/** Address of a server. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

/** Settings of the connection to the server. */
export interface RedisSettings extends RedisAddress {
  /** Database of the space `state`. */
  readonly stateDb: number;
  /** Database of the space `config`; must differ from `stateDb`. */
  readonly configDb: number;
  readonly username?: string;
  readonly password?: string;
  /** TLS for server and sentinels; `ca` (PEM) replaces the system's authorities. */
  readonly tls?: { readonly ca?: string };
  /** Sentinels that return the address of the master for each connection; `host` and `port` are unused then. */
  readonly sentinel?: {
    readonly nodes: readonly RedisAddress[];
    readonly master: string;
    readonly username?: string;
    readonly password?: string;
  };
}

type KvEnv = Env<typeof kvEnv>;

const oneServer = 'but must be one host; Redis Cluster has only database 0 and is not supported';

const hostProblem = ({ KV_HOST: host, KV_SENTINELS: sentinels }: KvEnv): string | undefined => {
  if (host === undefined) return sentinels === undefined ? 'is not set; set it to the host of Redis' : undefined;
  if (sentinels !== undefined) return 'and KV_SENTINELS are both set; keep one of them';
  if (host.includes('://')) return `is an address with a scheme, ${oneServer}`;
  if (/[,\s]/.test(host)) return `names several hosts, ${oneServer}`;
  return host.includes(':') && isIP(host) !== 6 ? 'holds a port; set it in KV_PORT' : undefined;
};

const certificate = '-----BEGIN CERTIFICATE-----';

const caProblem = ({ KV_TLS: tls, KV_TLS_CA_FILE: file }: KvEnv): string | undefined => {
  if (file === undefined) return undefined;
  if (!tls) return 'is set, but KV_TLS is not true, so nothing would be encrypted';
  try {
    return readFileSync(file, 'utf8').includes(certificate)
      ? undefined
      : `names the file ${file}, which holds no certificate in PEM form`;
  } catch {
    return `names the file ${file}, which cannot be read`;
  }
};

/** What is wrong with the settings, the certificate file included. Problems never hold a secret. */
export const redisProblems = (env: KvEnv): readonly EnvProblem[] => {
  const databases = env.KV_STATE_DB === env.KV_CONFIGS_DB;
  const problems: Readonly<Record<string, string | false | undefined>> = {
    KV_HOST: hostProblem(env),
    KV_PORT: env.KV_PORT === 0 && 'is 0, but takes a port from 1 to 65535',
    KV_CONFIGS_DB: databases && `is ${env.KV_CONFIGS_DB} like KV_STATE_DB, but takes a database of its own`,
    KV_USERNAME: env.KV_USERNAME !== undefined && env.KV_PASSWORD === undefined && 'is set, but KV_PASSWORD is not',
    KV_SENTINEL_USERNAME:
      env.KV_SENTINEL_USERNAME !== undefined &&
      env.KV_SENTINEL_PASSWORD === undefined &&
      'is set, but KV_SENTINEL_PASSWORD is not',
    KV_SENTINEL_PASSWORD:
      env.KV_SENTINEL_PASSWORD !== undefined && env.KV_SENTINELS === undefined && 'is set, but KV_SENTINELS is not',
    KV_TLS_CA_FILE: caProblem(env),
  };
  return Object.entries(problems).flatMap(([variable, problem]) => (problem ? [{ variable, problem }] : []));
};

const credentials = (username: string | undefined, password: string | undefined) => ({
  ...(username === undefined ? {} : { username }),
  ...(password === undefined ? {} : { password }),
});

const sentinelOf = (env: KvEnv): Pick<RedisSettings, 'sentinel'> =>
  env.KV_SENTINELS === undefined
    ? {}
    : {
        sentinel: {
          nodes: env.KV_SENTINELS,
          master: env.KV_SENTINEL_MASTER,
          ...credentials(env.KV_SENTINEL_USERNAME, env.KV_SENTINEL_PASSWORD),
        },
      };

/**
 * Reads the settings from the KV_ variables, and the certificate file.
 * @throws RelayError `config_invalid` naming the variables, never a secret
 */
export const redisSettings = (env: KvEnv): RedisSettings => {
  refuseEnv(redisProblems(env));
  const ca = env.KV_TLS_CA_FILE === undefined ? {} : { ca: readFileSync(env.KV_TLS_CA_FILE, 'utf8') };
  return {
    host: env.KV_HOST ?? '',
    port: env.KV_PORT,
    stateDb: env.KV_STATE_DB,
    configDb: env.KV_CONFIGS_DB,
    ...credentials(env.KV_USERNAME, env.KV_PASSWORD),
    ...(env.KV_TLS ? { tls: ca } : {}),
    ...sentinelOf(env),
  };
};
