import { number, quantiles, rates } from '../panels.mjs';
import { grown, max } from '../query.mjs';
import { processRow } from './process.mjs';

const own = 'action=~"push_messages|auth"';

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
        number('Oldest waiting text', max('relay_oldest_unsent_text_age_seconds'), { unit: 's', bad: 600 }),
        number('Calls refused (401, 403)', grown('relay_http_calls_total', 'upstream="vendor"', 'outcome=~"401|403"')),
      ],
    },
    {
      title: 'Texts',
      panels: [
        rates('Texts by outcome', 'outcome', 'relay_texts_total'),
        rates('Calls to the vendor by outcome', 'outcome', 'relay_http_calls_total', 'upstream="vendor"'),
        rates('Runs by outcome', 'action, outcome', 'relay_action_runs_total', own),
        quantiles('Duration of a run, 95th percentile', [0.95], 'action', 'relay_action_seconds', own),
      ],
    },
    processRow('message-pusher'),
  ],
};
