import { runnerEnv } from '@ranger-relay/action-runner';
import { tokensOf } from '@ranger-relay/actions';
import { RelayError } from '@ranger-relay/errors';
import { pusherEnv } from '@ranger-relay/message-pusher';
import { forwarderEnv } from '@ranger-relay/observation-forwarder';
import { kafkaEnv, kinds, parseEnv, platformEnv, type Env, type EnvTable } from '@ranger-relay/runtime';
import { ingesterEnv } from '@ranger-relay/webhook-ingester';

/** What each service of one process has for itself goes by other names here. */
const ofOne = ['PORT', 'INTEGRATION_TYPE_SLUG', 'INTEGRATION_SERVICE_URL', 'INTEGRATION_COMMANDS_TOPIC'] as const;

const shared = <Table extends EnvTable>(table: Table): Omit<Table, (typeof ofOne)[number]> =>
  Object.fromEntries(
    Object.entries(table).filter(([name]) => !(ofOne as readonly string[]).includes(name)),
  ) as unknown as Omit<Table, (typeof ofOne)[number]>;

/** Variables of `ranger-relay up`: its own, and those of the services, whose ports and types have names of their own here. */
export const upEnv = {
  DATA_DIR: { kind: kinds.path(), default: '.data', about: 'Directory of everything that is kept' },
  STATUS_PORT: { kind: kinds.port(), default: '8080', about: 'Port of the status page, on this machine alone' },
  INGESTER_PORT: { kind: kinds.port(), default: '8081', about: 'Port of the webhook ingester' },
  PUSHER_PORT: { kind: kinds.port(), default: '8082', about: 'Port of the message pusher' },
  RUNNER_PORT: { kind: kinds.port(), default: '8083', about: 'Port of the action runner' },
  FORWARDER_PORT: { kind: kinds.port(), default: '8084', about: 'Port of the forwarder’s health and metrics' },
  PUSHER_TYPE_SLUG: {
    kind: kinds.slug(),
    default: 'device_connector',
    about: 'Integration type of the devices',
  },
  RUNNER_TYPE_SLUG: { kind: kinds.slug(), default: 'site_connector', about: 'Integration type of the sites' },
  PUSHER_SERVICE_URL: { kind: kinds.url(), about: 'Public address of the message pusher' },
  RUNNER_SERVICE_URL: { kind: kinds.url(), about: 'Public address of the action runner' },
  SIMULATED_DEVICES: {
    kind: kinds.integer(0, 500),
    default: '6',
    about: 'Devices of the simulated fleet, when no platform is configured',
  },
  ...kafkaEnv,
  ...shared(ingesterEnv),
  ...shared(forwarderEnv),
  ...shared(pusherEnv),
  ...shared(runnerEnv),
  AUTH_TOKEN: {
    ...pusherEnv.AUTH_TOKEN,
    about:
      'Bearer token of callers of the message pusher and the action runner, several separated by commas; without one they are off, with simulators one is made',
  },
  ...platformEnv,
  HOST: {
    kind: kinds.host(),
    about: 'Address to listen on; all with a real platform, this machine alone with simulators',
  },
  LOG_LEVEL: { ...forwarderEnv.LOG_LEVEL, default: 'warn' },
} as const satisfies EnvTable;

/** Parsed configuration of `up`. */
export type UpConfig = Env<typeof upEnv>;

/** Variables without which no platform is reached. */
export const neededByPlatform = [
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

/**
 * Whether message pusher and action runner run: never without knowing who may call them. They are off, and the rest runs on, when callers
 * are to show a token and none is set.
 */
export const runsActions = (config: Pick<UpConfig, 'AUTH_MODE' | 'AUTH_TOKEN'>): boolean =>
  config.AUTH_MODE !== 'bearer' || tokensOf(config.AUTH_TOKEN ?? '').length > 0;

/** @throws RelayError `config_invalid` */
export const parseUpConfig = (source: NodeJS.ProcessEnv): UpConfig => {
  const config = parseEnv(upEnv, source);
  const unnamed = (['PUSHER_SERVICE_URL', 'RUNNER_SERVICE_URL'] as const).find((name) => config[name] === undefined);
  if (config.AUTH_MODE === 'oidc' && unnamed)
    throw refuse(unnamed, 'is not set, but AUTH_MODE=oidc needs it as the audience of tokens');
  if (isSimulated(config)) return config;
  const missing = neededByPlatform.find((name) => config[name] === undefined);
  if (missing)
    throw refuse(missing, 'is not set, but other PLATFORM_ variables are; a real platform needs all of them');
  return config;
};
