import { fieldKinds } from '@ranger-relay/actions';
import { runnerSchedules, runnerType } from '@ranger-relay/action-runner';

/** What the templates ask of schedules: the actions that run by them, and for each field of a crontab the numbers that names stand for. */
const schedules = {
  actions: runnerSchedules(runnerType({ ACTION_SCHEDULES: undefined })).map(({ actionId }) => actionId),
  names: fieldKinds.map(({ min, names }) => Object.fromEntries(names.map((name, index) => [name, min + index]))),
};

/** Facts of a chart whose variables give schedules; none otherwise. @param {object} table */
export const schedulesIn = (table) => ('ACTION_SCHEDULES' in table ? { schedules } : {});
