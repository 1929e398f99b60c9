import test from 'ava';
import { parseRunnerConfig, runnerSchedules, runnerType } from '@ranger-relay/action-runner';
import { isRelayError } from '@ranger-relay/errors';
import { renderLeast } from './charts/least.ts';
import { openTools } from './harness/node.ts';

let node: Awaited<ReturnType<typeof openTools>>;
test.before(async (t) => {
  node = await openTools(t);
});

/** What the service says to schedules; nothing when it takes them. */
const problemOf = (schedules: string): string | undefined => {
  try {
    runnerSchedules(runnerType(parseRunnerConfig({ ACTION_SCHEDULES: schedules })));
    return undefined;
  } catch (error) {
    if (isRelayError(error, 'crontab_invalid')) return error.message;
    throw error;
  }
};

for (const schedules of [
  'pull_events:*/5 * * * *',
  ' pull_events : 08-09,1-2 08-10/2 01-31 Jan-12 sun-7 -5 ;\n pull_observations:0 0 * * 0-6;\n',
  'pull_events:0-0 09-09 7-07 dec-12 MON-fri +03',
  'pull_events:1-2,3-4,9-8 * * * *',
  'pull_events:* 2-10,20-10/5 * * *',
  'pull_events:* * 10-09 * *',
  'pull_events:* * * 1,DEC-jan *',
  'pull_events:* * * * 7-sun',
  'pull_observations:0 0 * * *; pull_events:* * * * 6-5',
  'auth:0 0 * * *',
  'show_permissions:0 0 * * *',
  'pull_events:0 0 * * *;pull_observations:0 0 * * *; pull_events:0 0 * * *',
])
  test.serial(`the chart takes ${JSON.stringify(schedules)} if and only if the service does`, async (t) => {
    const rendering = await renderLeast(node.env, 'action-runner', { 'config.ACTION_SCHEDULES': schedules });
    const problem = problemOf(schedules);
    t.is(rendering.ok, problem === undefined, problem);
    t.true(rendering.ok || rendering.problem.includes('config.ACTION_SCHEDULES'));
  });
