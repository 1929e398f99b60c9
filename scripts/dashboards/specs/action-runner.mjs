import { lines, number } from '../panels.mjs';
import { grown, maxBy, quantile, rate } from '../query.mjs';
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
        number('Schedules behind', maxBy('', 'relay_scheduler_behind_seconds'), { unit: 's', bad: 300 }),
        number('Oldest waiting command', maxBy('', 'relay_oldest_command_age_seconds'), { unit: 's', bad: 1_800 }),
        number('Calls refused (401, 403)', grown('relay_http_calls_total', 'upstream="site"', 'outcome=~"401|403"')),
      ],
    },
    {
      title: 'Runs',
      panels: [
        lines('Runs by outcome', [[rate('action, outcome', 'relay_action_runs_total'), '{{action}} {{outcome}}']], {
          unit: 'cps',
        }),
        lines(
          'Duration of a run, 95th percentile',
          [[quantile(0.95, 'action', 'relay_action_seconds'), '{{action}}']],
          { unit: 's' },
        ),
        lines('Commands published by schedule', [[rate('action', 'relay_scheduler_commands_total'), '{{action}}']], {
          unit: 'cps',
        }),
        lines('Leader', [[maxBy('pod, instance', 'relay_scheduler_leader'), '{{pod}} {{instance}}']]),
        lines(
          'Calls to sites by outcome',
          [[rate('outcome', 'relay_http_calls_total', 'upstream="site"'), '{{outcome}}']],
          {
            unit: 'cps',
          },
        ),
      ],
    },
    processRow('action-runner'),
  ],
};
