import { lines, number, quantiles, rates } from '../panels.mjs';
import { grown, max, maxBy } from '../query.mjs';
import { processRow } from './process.mjs';

/** @type {import('../panels.mjs').Dashboard} */
export const runner = {
  name: 'action-runner',
  title: 'ranger-relay: action runner',
  about: 'Runs of actions, schedules, and calls to sites.',
  rows: [
    {
      title: 'At a glance',
      panels: [
        number('Failed runs', grown('relay_action_runs_total', 'outcome=~"failed|timed_out"')),
        number('Schedules behind', max('relay_scheduler_behind_seconds'), { unit: 's', bad: 300 }),
        number('Oldest waiting command', max('relay_oldest_command_age_seconds'), { unit: 's', bad: 1_800 }),
        number('Calls refused (401, 403)', grown('relay_http_calls_total', 'upstream="site"', 'outcome=~"401|403"')),
      ],
    },
    {
      title: 'Runs',
      panels: [
        rates('Runs by outcome', 'action, outcome', 'relay_action_runs_total'),
        quantiles('Duration of a run, 95th percentile', [0.95], 'action', 'relay_action_seconds'),
        rates('Commands published by schedule', 'action', 'relay_scheduler_commands_total'),
        lines('Leader', [maxBy('pod, instance', 'relay_scheduler_leader')]),
        rates('Calls to sites by outcome', 'outcome', 'relay_http_calls_total', 'upstream="site"'),
      ],
    },
    processRow('action-runner'),
  ],
};
