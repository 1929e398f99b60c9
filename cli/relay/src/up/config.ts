import { runnerEnv, runnerProblems } from '@ranger-relay/action-runner';
import { pusherEnv, pusherProblems } from '@ranger-relay/message-pusher';
import { forwarderEnv } from '@ranger-relay/observation-forwarder';
import { neededVariables, platformAddressProblems, platformProblems } from '@ranger-relay/platform';
import {
  addProblems,
  kafkaEnv,
  kinds,
  platformEnv,
  readEnv,
  splitList,
  unknownVariables,
  type Env,
  type EnvProblem,
  type EnvTable,
  type ReadEnv,
} from '@ranger-relay/runtime';
import { ingesterEnv, ingesterProblems } from '@ranger-relay/webhook-ingester';
import { actionsCliEnv, typeSlugEnv } from '../actions/env.ts';
import type { PlatformKind } from '../data-dir/index.ts';
import { dataDirEnv } from '../program/open-stores.ts';
import { assignOneService } from './one-service.ts';

/** Variables that each service of one process needs for itself have other names here. */
const ofOne = ['PORT', 'INTEGRATION_TYPE_SLUG', 'INTEGRATION_SERVICE_URL', 'INTEGRATION_COMMANDS_TOPIC'] as const;

const shared = <Table extends EnvTable>(table: Table): Omit<Table, (typeof ofOne)[number]> =>
  Object.fromEntries(
    Object.entries(table).filter(([name]) => !(ofOne as readonly string[]).includes(name)),
  ) as unknown as Omit<Table, (typeof ofOne)[number]>;

/** Variables of `ranger-relay up`: its own, and those of the services, whose ports and types have names of their own here. */
export const upEnv = {
  ...dataDirEnv,
  STATUS_PORT: {
    kind: kinds.port(),
    default: '8080',
    description: 'Port of the status page, which is served only on this machine',
  },
  INGESTER_PORT: { kind: kinds.port(), default: '8081', description: 'Port of the webhook ingester' },
  PUSHER_PORT: { kind: kinds.port(), default: '8082', description: 'Port of the message pusher' },
  RUNNER_PORT: { kind: kinds.port(), default: '8083', description: 'Port of the action runner' },
  FORWARDER_PORT: { kind: kinds.port(), default: '8084', description: 'Port of the forwarder’s health and metrics' },
  ...typeSlugEnv,
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
    default: '127.0.0.1',
    description: 'Address to listen on; by default only this machine, `::` means all addresses, IPv4 and IPv6',
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
  config.AUTH_MODE !== 'bearer' || splitList(config.AUTH_TOKEN).length > 0;

/** Tables whose variables may stand in the same environment. */
const tables: readonly EnvTable[] = [upEnv, ingesterEnv, forwarderEnv, pusherEnv, runnerEnv, actionsCliEnv];

/** A service with actions that runs here has its public address in a variable of its own. */
const withOwnAddress = (
  config: UpConfig,
  variable: 'PUSHER_SERVICE_URL' | 'RUNNER_SERVICE_URL',
  problemsOf: (config: UpConfig & { readonly INTEGRATION_SERVICE_URL: string | undefined }) => readonly EnvProblem[],
): readonly EnvProblem[] =>
  problemsOf({ ...config, INTEGRATION_SERVICE_URL: config[variable] }).map(({ variable: name, problem }) => ({
    variable: name === 'INTEGRATION_SERVICE_URL' ? variable : name,
    problem,
  }));

/** Without a token both services are off, or have that of the simulation. */
const actionsOf = (config: UpConfig): readonly EnvProblem[] =>
  addProblems(
    withOwnAddress(config, 'PUSHER_SERVICE_URL', pusherProblems),
    withOwnAddress(config, 'RUNNER_SERVICE_URL', runnerProblems),
  ).filter(({ variable }) => variable !== 'AUTH_TOKEN' || runsActions(config));

const platformOf = (config: UpConfig): readonly EnvProblem[] =>
  isSimulated(config)
    ? []
    : [
        ...platformProblems(config).map(({ variable }) => ({
          variable,
          problem: 'is not set, but other PLATFORM_ variables are; a real platform needs all of them',
        })),
        ...platformAddressProblems(config),
      ];

/** With simulators, `up` creates the tokens file unless one is named. */
const webhookOf = (config: UpConfig): readonly EnvProblem[] =>
  ingesterProblems(config).filter(
    ({ variable }) =>
      variable !== 'WEBHOOK_TOKENS_FILE' || config.WEBHOOK_TOKENS_FILE !== undefined || !isSimulated(config),
  );

const defaultSlugs = { PUSHER: upEnv.PUSHER_TYPE_SLUG.default, RUNNER: upEnv.RUNNER_TYPE_SLUG.default };

/** Reads the variables, and the files that they name. */
export const readUpConfig = (given: NodeJS.ProcessEnv): ReadEnv<typeof upEnv> => {
  const { source, problems } = assignOneService(given, defaultSlugs);
  return readEnv(upEnv, source, (config) => [
    ...platformOf(config),
    ...webhookOf(config),
    ...actionsOf(config),
    ...problems,
    ...unknownVariables(tables, source),
  ]);
};
