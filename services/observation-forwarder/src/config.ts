import { commonEnv, kinds, kvEnv, parseEnv, platformEnv, type Env, type EnvTable } from '@ranger-relay/runtime';

/** Variables of the observation forwarder. */
export const forwarderEnv = {
  PORT: { kind: kinds.port(), default: '8084', description: 'Port of /livez, /readyz and /metrics' },
  INTEGRATION_TYPE_SLUG: {
    kind: kinds.slug(),
    default: 'device_connector',
    description: 'Integration type whose webhook the activity log names',
  },
  FORWARD_PARK_AFTER_MS: {
    kind: kinds.integer(0, 3_600_000),
    default: '10000',
    description: 'Time that an integration must fail, while others succeed, before the forwarder parks its events',
  },
  ...commonEnv,
  ...platformEnv,
  ...kvEnv,
} as const satisfies EnvTable;

/** Parsed configuration of the forwarder. */
export type ForwarderConfig = Env<typeof forwarderEnv>;

/** @throws RelayError `config_invalid` */
export const parseForwarderConfig = (source: NodeJS.ProcessEnv): ForwarderConfig => parseEnv(forwarderEnv, source);
