import { actionsEnv, overridesPattern } from '@ranger-relay/actions';
import { commonEnv, kinds, kvEnv, parseEnv, platformEnv, type Env, type EnvTable } from '@ranger-relay/runtime';

/** Variables of the action runner; HTTP_ALLOWED_NETWORKS also limits which sites can be reached. */
export const runnerEnv = {
  PORT: { kind: kinds.port(), default: '8083', description: 'Port of the platform’s calls to run actions' },
  INTEGRATION_TYPE_SLUG: {
    kind: kinds.slug(),
    default: 'site_connector',
    description: 'Integration type whose actions are served',
  },
  SITE_CLIENT_ID: {
    kind: kinds.text(200),
    default: 'site_web_client',
    description: 'Client id with which tokens of a site are asked for by user name and password',
  },
  PULL_OVERLAP: {
    kind: kinds.integer(0, 86_400),
    default: '600',
    description: 'How far each pull reaches back behind what it has seen, seconds: a site may save rows out of order',
  },
  PULL_LATE: {
    kind: kinds.integer(0, 2_592_000),
    default: '86400',
    description:
      'How late records may reach a site that cannot be asked for arrivals, seconds; later ones are not seen',
  },
  SCHEDULER: {
    kind: kinds.oneOf('internal', 'platform'),
    default: 'internal',
    description: 'Who starts pull actions by their schedules: this service, or the platform as it was registered',
  },
  ACTION_SCHEDULES: {
    kind: kinds.writtenAs(overridesPattern, 'schedules like pull_events:*/10 * * * *, separated by semicolons', 2_000),
    description: 'Schedules in place of those in the code, `<action>:<crontab>`',
  },
  SCHEDULE_CATCHUP: {
    kind: kinds.integer(60, 2_592_000),
    default: '86400',
    description: 'How old a missed instant of a schedule may be and still be made up for, once, seconds',
  },
  SCHEDULE_JITTER: {
    kind: kinds.integer(0, 50),
    default: '30',
    description: 'Over how many seconds the pulls of one instant are spread; an integration always has the same place',
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
