import { RelayError } from '@ranger-relay/errors';
import { forwarderEnv } from '@ranger-relay/observation-forwarder';
import { kafkaEnv, kinds, parseEnv, platformEnv, type Env, type EnvTable } from '@ranger-relay/runtime';
import { ingesterEnv } from '@ranger-relay/webhook-ingester';

const { PORT: _ingesterPort, INTEGRATION_TYPE_SLUG: _ingesterSlug, ...ingesterOnly } = ingesterEnv;
const { PORT: _forwarderPort, INTEGRATION_TYPE_SLUG: _forwarderSlug, ...forwarderOnly } = forwarderEnv;

/** Variables of `ranger-relay up`: its own, and those of the services, whose ports have names of their own here. */
export const upEnv = {
  DATA_DIR: { kind: kinds.path(), default: '.data', about: 'Directory of everything that is kept' },
  STATUS_PORT: { kind: kinds.port(), default: '8080', about: 'Port of the status page, on this machine alone' },
  INGESTER_PORT: { kind: kinds.port(), default: '8081', about: 'Port of the webhook ingester' },
  FORWARDER_PORT: { kind: kinds.port(), default: '8084', about: 'Port of the forwarder’s health and metrics' },
  PUSHER_TYPE_SLUG: {
    kind: kinds.text(100),
    default: 'device_connector',
    about: 'Integration type of the devices',
  },
  SIMULATED_DEVICES: {
    kind: kinds.integer(0, 500),
    default: '6',
    about: 'Devices of the simulated fleet, when no platform is configured',
  },
  ...kafkaEnv,
  ...ingesterOnly,
  ...forwarderOnly,
  ...platformEnv,
  HOST: {
    kind: kinds.host(),
    about: 'Address to listen on; all with a real platform, this machine alone with simulators',
  },
  LOG_LEVEL: { ...forwarderEnv.LOG_LEVEL, default: 'warn' },
} as const satisfies EnvTable;

/** Parsed configuration of `up`. */
export type UpConfig = Env<typeof upEnv>;

const neededByPlatform = [
  'PLATFORM_API_BASE_URL',
  'PLATFORM_SENSORS_BASE_URL',
  'PLATFORM_TOKEN_URL',
  'PLATFORM_CLIENT_ID',
  'PLATFORM_CLIENT_SECRET',
] as const;

const refuse = (variable: string, problem: string): RelayError =>
  new RelayError('config_invalid', { details: { variable, problem } });

/** With no platform configured at all, simulators stand in for it. */
export const isSimulated = (config: UpConfig): boolean => neededByPlatform.every((name) => config[name] === undefined);

/** @throws RelayError `config_invalid` */
export const parseUpConfig = (source: NodeJS.ProcessEnv): UpConfig => {
  const config = parseEnv(upEnv, source);
  if (isSimulated(config)) return config;
  const missing = neededByPlatform.find((name) => config[name] === undefined);
  if (missing)
    throw refuse(missing, 'is not set, but other PLATFORM_ variables are; a real platform needs all of them');
  return config;
};
