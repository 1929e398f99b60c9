import {
  callerProblems,
  discoverActions,
  overridesOf,
  schedulesOf,
  type Schedule,
  type TypeSpec,
} from '@ranger-relay/actions';
import type { EnvProblem } from '@ranger-relay/runtime';
import type { RunnerConfig } from './config.ts';
import * as handlers from './handlers.ts';

/** The registration data of the site connector. */
export type RunnerType = Omit<TypeSpec, 'slug' | 'serviceUrl' | 'webhook'>;

/** The site connector with the schedules from the environment. */
export const runnerType = ({ ACTION_SCHEDULES }: Pick<RunnerConfig, 'ACTION_SCHEDULES'>): RunnerType => ({
  catalogue: discoverActions(handlers),
  description: 'Pulls observations and events from a ranger-tracking site',
  schedules: overridesOf(ACTION_SCHEDULES),
});

/** The schedules of a type's actions. @throws RelayError `crontab_invalid` */
export const runnerSchedules = ({ catalogue, schedules }: RunnerType): readonly Schedule[] =>
  schedulesOf(catalogue, schedules);

/** Rules between the variables of the action runner. @throws RelayError `crontab_invalid` */
export const runnerProblems = (config: RunnerConfig): readonly EnvProblem[] => {
  runnerSchedules(runnerType(config));
  return callerProblems(config);
};
