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

/** The pulls of the runner: the actions that it has schedules for. */
export const runnerPulls = (): readonly string[] =>
  runnerSchedules(runnerType({ ACTION_SCHEDULES: undefined })).map(({ actionId }) => actionId);

/** What is wrong with overrides; empty when they can be used together. */
const faultsOf = (type: RunnerType, schedules: readonly string[]): readonly string[] => {
  try {
    runnerSchedules({ ...type, schedules });
    return [];
  } catch (error) {
    if (isRelayError(error, 'crontab_invalid'))
      return [`"${String(error.details['crontab'])}": ${String(error.details['reason'])}`];
    throw error;
  }
};

const scheduleProblems = (config: Pick<RunnerConfig, 'ACTION_SCHEDULES'>): readonly EnvProblem[] => {
  const type = runnerType(config);
  const { schedules = [] } = type;
  const alone = schedules.flatMap((override) => faultsOf(type, [override]));
  const faults = alone.length > 0 ? alone : faultsOf(type, schedules);
  if (faults.length === 0) return [];
  return [{ variable: 'ACTION_SCHEDULES', problem: `cannot be used: ${faults.join('; ')}` }];
};

/** Rules between the variables of the action runner. */
export const runnerProblems = (
  config: Parameters<typeof callerProblems>[0] & Pick<RunnerConfig, 'ACTION_SCHEDULES'>,
): readonly EnvProblem[] => [...scheduleProblems(config), ...callerProblems(config)];
