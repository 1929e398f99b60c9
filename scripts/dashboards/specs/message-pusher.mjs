import { lines, number } from '../panels.mjs';
import { grown, maxBy, quantile, rate } from '../query.mjs';
import { processRow } from './process.mjs';

/** @type {import('../panels.mjs').Dashboard} */
export const pusher = {
  name: 'message-pusher',
  title: 'ranger-relay: message pusher',
  about: 'Texts to devices: what the vendor took, what comes again, what was given up.',
  rows: [
    {
      title: 'At a glance',
      panels: [
        number('Texts given up', grown('relay_texts_total', 'outcome="failed"')),
        number('Texts held', grown('relay_texts_total', 'outcome="held"')),
        number('Perhaps sent twice', grown('relay_texts_total', 'outcome="ambiguous"')),
        number('Oldest text that waits', maxBy('', 'relay_oldest_unsent_text_age_seconds'), { unit: 's', bad: 600 }),
        number('Account refused', grown('relay_http_calls_total', 'upstream="vendor"', 'outcome=~"401|403"')),
      ],
    },
    {
      title: 'Texts',
      panels: [
        lines('Texts, by what a run came to', [[rate('outcome', 'relay_texts_total'), '{{outcome}}']], { unit: 'cps' }),
        lines(
          'Calls of the vendor',
          [[rate('outcome', 'relay_http_calls_total', 'upstream="vendor"'), '{{outcome}}']],
          { unit: 'cps' },
        ),
        lines(
          'Runs, by what became of them',
          [
            [
              rate('action, outcome', 'relay_action_runs_total', 'action=~"push_messages|auth"'),
              '{{action}} {{outcome}}',
            ],
          ],
          { unit: 'cps' },
        ),
        lines(
          'Time of a run, 95 %',
          [[quantile(0.95, 'action', 'relay_action_seconds', 'action=~"push_messages|auth"'), '{{action}}']],
          { unit: 's' },
        ),
      ],
    },
    processRow('message-pusher'),
  ],
};
