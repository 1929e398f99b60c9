import { runnerEnv } from '@ranger-relay/action-runner';
import { tokensOf } from '@ranger-relay/actions';
import { pusherEnv } from '@ranger-relay/message-pusher';
import { forwarderEnv } from '@ranger-relay/observation-forwarder';
import { neededVariables, platformProblems } from '@ranger-relay/platform';
import {
  kafkaEnv,
  kinds,
  parseEnv,
  platformEnv,
  unknownVariables,
  type Env,
  type EnvProblem,
  type EnvTable,
} from '@ranger-relay/runtime';
import { ingesterEnv, ingesterProblems } from '@ranger-relay/webhook-ingester';
import { actionsCliEnv } from '../actions/env.ts';
import type { PlatformKind } from '../data-dir/index.ts';

/** Variables that each service of one process needs for itself have other names here. */
const ofOne = ['PORT', 'INTEGRATION_TYPE_SLUG', 'INTEGRATION_SERVICE_URL', 'INTEGRATION_COMMANDS_TOPIC'] as const;

const shared = <Table extends EnvTable>(table: Table): Omit<Table, (typeof ofOne)[number]> =>
  Object.fromEntries(
    Object.entries(table).filter(([name]) => !(ofOne as readonly string[]).includes(name)),
  ) as unknown as Omit<Table, (typeof ofOne)[number]>;

/** Variables of `ranger-relay up`: its own, and those of the services, whose ports and types have names of their own here. */
export const upEnv = {
  DATA_DIR: { kind: kinds.path(), default: '.data', description: 'Directory of all stored data' },
  STATUS_PORT: {
    kind: kinds.port(),
    default: '8080',
    description: 'Port of the status page, which is served only on this machine',
  },
  INGESTER_PORT: { kind: kinds.port(), default: '8081', description: 'Port of the webhook ingester' },
  PUSHER_PORT: { kind: kinds.port(), default: '8082', description: 'Port of the message pusher' },
  RUNNER_PORT: { kind: kinds.port(), default: '8083', description: 'Port of the action runner' },
  FORWARDER_PORT: { kind: kinds.port(), default: '8084', description: 'Port of the forwarder’s health and metrics' },
  PUSHER_TYPE_SLUG: {
    kind: kinds.slug(),
    default: 'device_connector',
    description: 'Integration type of the devices',
  },
  RUNNER_TYPE_SLUG: { kind: kinds.slug(), default: 'site_connector', description: 'Integration type of the sites' },
  PUSHER_SERVICE_URL: { kind: kinds.url(), description: 'Public address of the message pusher' },
  RUNNER_SERVICE_URL: { kind: kinds.url(), description: 'Public address of the action runner' },
  SIMULATED_DEVICES: {
    kind: kinds.integer(0, 500),
    default: '6',
    description: 'Number of simulated devices when no platform is configured',
  },
  ...kafkaEnv,
  ...shared(ingesterEnv),
  ...shared(forwarderEnv),
  ...shared(pusherEnv),
  ...shared(runnerEnv),
  AUTH_TOKEN: {
    ...pusherEnv.AUTH_TOKEN,
    description:
      'Bearer tokens for callers of the message pusher and the action runner, separated by commas; without a token both are off; with simulators, `up` generates one',
  },
  ...platformEnv,
  STOP_GRACE_S: pusherEnv.STOP_GRACE_S,
  HOST: {
    kind: kinds.host(),
    description: 'Address to listen on; default: all addresses with a real platform, only this machine with simulators',
  },
  LOG_LEVEL: { ...forwarderEnv.LOG_LEVEL, default: 'warn' },
} as const satisfies EnvTable;

/** Parsed configuration of `up`. */
export type UpConfig = Env<typeof upEnv>;

/** With no platform configured at all, simulators stand in for it. */
export const isSimulated = (config: Pick<UpConfig, (typeof neededVariables)[number]>): boolean =>
  neededVariables.every((name) => config[name] === undefined);

/** Which kind of platform a configuration is for. */
export const platformKind = (config: UpConfig): PlatformKind => (isSimulated(config) ? 'simulated' : 'real');

/**
 * Whether message pusher and action runner run. They need authentication of callers: without a token, when AUTH_MODE requires one, only they
 * are off.
 */
export const runsActions = (config: Pick<UpConfig, 'AUTH_MODE' | 'AUTH_TOKEN'>): boolean =>
  config.AUTH_MODE !== 'bearer' || tokensOf(config.AUTH_TOKEN ?? '').length > 0;

/** Tables whose variables may stand in the same environment. */
const tables: readonly EnvTable[] = [upEnv, ingesterEnv, forwarderEnv, pusherEnv, runnerEnv, actionsCliEnv];

const audienceProblems = (config: UpConfig): readonly EnvProblem[] =>
  (['PUSHER_SERVICE_URL', 'RUNNER_SERVICE_URL'] as const)
    .filter((name) => config.AUTH_MODE === 'oidc' && config[name] === undefined)
    .map((variable) => ({ variable, problem: 'is not set, but AUTH_MODE=oidc needs it as the audience of tokens' }));

const platformOf = (config: UpConfig): readonly EnvProblem[] =>
  isSimulated(config)
    ? []
    : platformProblems(config).map(({ variable }) => ({
        variable,
        problem: 'is not set, but other PLATFORM_ variables are; a real platform needs all of them',
      }));

const mistakable = {
  INTEGRATION_TYPE_SLUG: 'takes PUSHER_TYPE_SLUG and RUNNER_TYPE_SLUG',
  INTEGRATION_SERVICE_URL: 'takes PUSHER_SERVICE_URL and RUNNER_SERVICE_URL',
  INTEGRATION_COMMANDS_TOPIC: 'names the topic of each after its type, `<type>-actions-topic`',
} as const;

/** Variables of a single service, which `up` would ignore because it runs two services with actions. */
const ofOneService = (source: NodeJS.ProcessEnv): readonly EnvProblem[] =>
  Object.entries(mistakable)
    .filter(([name]) => source[name])
    .map(([variable, instead]) => ({
      variable,
      problem: `is for one service alone; \`up\` runs several and ${instead}`,
    }));

/** With simulators, `up` creates the tokens file. */
const webhookOf = (config: UpConfig): readonly EnvProblem[] =>
  ingesterProblems(config).filter(({ variable }) => variable !== 'WEBHOOK_TOKENS_FILE' || !isSimulated(config));

/** @throws RelayError `config_invalid` with a line for each variable that is wrong, missing or misspelt */
export const parseUpConfig = (source: NodeJS.ProcessEnv): UpConfig =>
  parseEnv(upEnv, source, (config) => [
    ...audienceProblems(config),
    ...platformOf(config),
    ...webhookOf(config),
    ...ofOneService(source),
    ...unknownVariables(tables, source),
  ]);
