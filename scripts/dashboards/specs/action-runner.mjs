import { lines, number } from '../panels.mjs';
import { grown, maxBy, quantile, rate } from '../query.mjs';
import { processRow } from './process.mjs';

/** @type {import('../panels.mjs').Dashboard} */
export const runner = {
  name: 'action-runner',
  title: 'ranger-relay: action runner',
  about: 'What is pulled from sites: runs, schedules, refusals.',
  rows: [
    {
      title: 'At a glance',
      panels: [
        number('Runs that failed', grown('relay_action_runs_total', 'outcome=~"failed|timed_out"')),
        number('Schedules behind', maxBy('', 'relay_scheduler_behind_seconds'), { unit: 's', bad: 300 }),
        number('Oldest command that waits', maxBy('', 'relay_oldest_command_age_seconds'), { unit: 's', bad: 1_800 }),
        number('Accounts refused', grown('relay_http_calls_total', 'upstream="site"', 'outcome=~"401|403"')),
      ],
    },
    {
      title: 'Runs',
      panels: [
        lines(
          'Runs, by what became of them',
          [[rate('action, outcome', 'relay_action_runs_total'), '{{action}} {{outcome}}']],
          { unit: 'cps' },
        ),
        lines('Time of a run, 95 %', [[quantile(0.95, 'action', 'relay_action_seconds'), '{{action}}']], { unit: 's' }),
        lines('Commands of the schedules', [[rate('action', 'relay_scheduler_commands_total'), '{{action}}']], {
          unit: 'cps',
        }),
        lines('Who leads', [[maxBy('pod, instance', 'relay_scheduler_leader'), '{{pod}} {{instance}}']]),
        lines('Calls of sites', [[rate('outcome', 'relay_http_calls_total', 'upstream="site"'), '{{outcome}}']], {
          unit: 'cps',
        }),
      ],
    },
    processRow('action-runner'),
  ],
};
