import { lines, number } from '../panels.mjs';
import { grown, maxBy, quantile, rate } from '../query.mjs';
import { processRow } from './process.mjs';

/** @type {import('../panels.mjs').Dashboard} */
export const pusher = {
  name: 'message-pusher',
  title: 'ranger-relay: message pusher',
  about: 'Texts to devices: accepted, retried and failed.',
  rows: [
    {
      title: 'At a glance',
      panels: [
        number('Failed texts', grown('relay_texts_total', 'outcome="failed"')),
        number('Held texts', grown('relay_texts_total', 'outcome="held"')),
        number('Possibly sent twice', grown('relay_texts_total', 'outcome="ambiguous"')),
        number('Oldest waiting text', maxBy('', 'relay_oldest_unsent_text_age_seconds'), { unit: 's', bad: 600 }),
        number('Calls refused (401, 403)', grown('relay_http_calls_total', 'upstream="vendor"', 'outcome=~"401|403"')),
      ],
    },
    {
      title: 'Texts',
      panels: [
        lines('Texts by outcome', [[rate('outcome', 'relay_texts_total'), '{{outcome}}']], { unit: 'cps' }),
        lines(
          'Calls to the vendor by outcome',
          [[rate('outcome', 'relay_http_calls_total', 'upstream="vendor"'), '{{outcome}}']],
          { unit: 'cps' },
        ),
        lines(
          'Runs by outcome',
          [
            [
              rate('action, outcome', 'relay_action_runs_total', 'action=~"push_messages|auth"'),
              '{{action}} {{outcome}}',
            ],
          ],
          { unit: 'cps' },
        ),
        lines(
          'Duration of a run, 95th percentile',
          [[quantile(0.95, 'action', 'relay_action_seconds', 'action=~"push_messages|auth"'), '{{action}}']],
          { unit: 's' },
        ),
      ],
    },
    processRow('message-pusher'),
  ],
};
