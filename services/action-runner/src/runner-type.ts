import {
  callerProblems,
  discoverActions,
  overridesOf,
  schedulesOf,
  type Schedule,
  type TypeSpec,
} from '@ranger-relay/actions';
import { isRelayError } from '@ranger-relay/errors';
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

const scheduleProblems = (config: Pick<RunnerConfig, 'ACTION_SCHEDULES'>): readonly EnvProblem[] => {
  try {
    runnerSchedules(runnerType(config));
    return [];
  } catch (error) {
    if (isRelayError(error, 'crontab_invalid')) return [{ variable: 'ACTION_SCHEDULES', problem: error.message }];
    throw error;
  }
};

/** Rules between the variables of the action runner. */
export const runnerProblems = (
  config: Parameters<typeof callerProblems>[0] & Pick<RunnerConfig, 'ACTION_SCHEDULES'>,
): readonly EnvProblem[] => [...scheduleProblems(config), ...callerProblems(config)];
