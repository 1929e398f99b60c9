import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { RelayError } from '@ranger-relay/errors';
import type { Env, kvEnv } from '@ranger-relay/runtime';

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

const refuse = (variable: string, problem: string, cause?: unknown): RelayError =>
  new RelayError('config_invalid', { details: { variable, problem }, ...(cause === undefined ? {} : { cause }) });

const oneServer = 'but must be one host; Redis Cluster has only database 0 and is not supported';

const hostOf = (env: KvEnv): string => {
  const { KV_HOST: host, KV_SENTINELS: sentinels } = env;
  if (host === undefined && sentinels === undefined) throw refuse('KV_HOST', 'is not set; set it to the host of Redis');
  if (host !== undefined && sentinels !== undefined)
    throw refuse('KV_HOST', 'and KV_SENTINELS are both set; keep one of them');
  if (host === undefined) return '';
  if (host.includes('://')) throw refuse('KV_HOST', `is an address with a scheme, ${oneServer}`);
  if (/[,\s]/.test(host)) throw refuse('KV_HOST', `names several hosts, ${oneServer}`);
  if (host.includes(':') && isIP(host) !== 6) throw refuse('KV_HOST', 'holds a port; set it in KV_PORT');
  return host;
};

const checkPairs = (env: KvEnv): void => {
  if (env.KV_PORT === 0) throw refuse('KV_PORT', 'is 0, but takes a port from 1 to 65535');
  if (env.KV_STATE_DB === env.KV_CONFIGS_DB)
    throw refuse('KV_CONFIGS_DB', `is ${env.KV_CONFIGS_DB} like KV_STATE_DB, but takes a database of its own`);
  if (env.KV_USERNAME !== undefined && env.KV_PASSWORD === undefined)
    throw refuse('KV_USERNAME', 'is set, but KV_PASSWORD is not');
  if (env.KV_SENTINEL_USERNAME !== undefined && env.KV_SENTINEL_PASSWORD === undefined)
    throw refuse('KV_SENTINEL_USERNAME', 'is set, but KV_SENTINEL_PASSWORD is not');
  if (env.KV_SENTINEL_PASSWORD !== undefined && env.KV_SENTINELS === undefined)
    throw refuse('KV_SENTINEL_PASSWORD', 'is set, but KV_SENTINELS is not');
  if (env.KV_TLS_CA_FILE !== undefined && !env.KV_TLS)
    throw refuse('KV_TLS_CA_FILE', 'is set, but KV_TLS is not true, so nothing would be encrypted');
};

const readCa = (file: string): string => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw refuse('KV_TLS_CA_FILE', `names the file ${file}, which cannot be read`, error);
  }
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw refuse('KV_TLS_CA_FILE', `names the file ${file}, which holds no certificate in PEM form`);
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
 * @throws RelayError `config_invalid` naming the variable, never a secret
 */
export const redisSettings = (env: KvEnv): RedisSettings => {
  const host = hostOf(env);
  checkPairs(env);
  const ca = env.KV_TLS_CA_FILE === undefined ? {} : { ca: readCa(env.KV_TLS_CA_FILE) };
  return {
    host,
    port: env.KV_PORT,
    stateDb: env.KV_STATE_DB,
    configDb: env.KV_CONFIGS_DB,
    ...credentials(env.KV_USERNAME, env.KV_PASSWORD),
    ...(env.KV_TLS ? { tls: ca } : {}),
    ...sentinelOf(env),
  };
};
