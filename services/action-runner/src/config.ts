import { actionsEnv } from '@ranger-relay/actions';
import { commonEnv, kinds, kvEnv, parseEnv, platformEnv, type Env, type EnvTable } from '@ranger-relay/runtime';

/** Variables of the action runner; HTTP_ALLOWED_NETWORKS also limits which sites can be reached. */
export const runnerEnv = {
  PORT: { kind: kinds.port(), default: '8083', description: 'Port for the platform’s calls that run actions' },
  INTEGRATION_TYPE_SLUG: {
    kind: kinds.slug(),
    default: 'site_connector',
    description: 'Integration type whose actions the service runs',
  },
  SITE_CLIENT_ID: {
    kind: kinds.text(200),
    default: 'site_web_client',
    description: 'Client id of token requests to a site with user name and password',
  },
  PULL_OVERLAP: {
    kind: kinds.integer(0, 86_400),
    default: '600',
    description: 'Overlap of each pull with the previous one, seconds; a site may save rows out of order',
  },
  PULL_LATE: {
    kind: kinds.integer(0, 2_592_000),
    default: '86400',
    description: 'Maximum delay of records at a site that cannot be queried by arrival, seconds; later ones are missed',
  },
  SCHEDULER: {
    kind: kinds.oneOf('internal', 'platform'),
    default: 'internal',
    description: 'Who runs the schedules of pull actions: this service, or the platform by the registered schedules',
  },
  ACTION_SCHEDULES: {
    kind: { ...kinds.text(2_000), format: 'schedules like pull_events:*/10 * * * *, separated by semicolons' },
    description: 'Schedules that replace the built-in ones, `<action>:<crontab>`',
  },
  SCHEDULE_CATCHUP: {
    kind: kinds.integer(60, 2_592_000),
    default: '86400',
    description: 'Maximum age of a missed run of a schedule that is caught up on, once, seconds',
  },
  SCHEDULE_JITTER: {
    kind: kinds.integer(0, 50),
    default: '30',
    description: 'Time over which the pulls of one instant are spread, seconds; an integration keeps its place',
  },
  ...actionsEnv,
  ...commonEnv,
  ...platformEnv,
  ...kvEnv,
} as const satisfies EnvTable;

/** Parsed configuration of the action runner. */
export type RunnerConfig = Env<typeof runnerEnv>;

/** @throws RelayError `config_invalid` */
export const parseRunnerConfig = (source: NodeJS.ProcessEnv): RunnerConfig => parseEnv(runnerEnv, source);
