import { lines, number } from '../panels.mjs';
import { grown, maxBy, quantile, rate } from '../query.mjs';
import { processRow } from './process.mjs';

/** @type {import('../panels.mjs').Dashboard} */
export const forwarder = {
  name: 'observation-forwarder',
  title: 'ranger-relay: observation forwarder',
  about: 'Events sent to the platform, waiting events, and failures.',
  rows: [
    {
      title: 'At a glance',
      panels: [
        number('SOS waiting', maxBy('', 'relay_oldest_unsent_sos_age_seconds'), { unit: 's', bad: 60 }),
        number('SOS parked', grown('relay_sos_events_total', 'outcome="parked"')),
        number('SOS refused', grown('relay_sos_events_total', 'outcome="refused"')),
        number('Events waiting', maxBy('', 'relay_oldest_unsent_event_age_seconds', 'topic="source-events"'), {
          unit: 's',
          bad: 300,
        }),
        number('Integrations parked', maxBy('', 'relay_parked_integrations')),
        number('Sent without deduplication', grown('relay_events_undeduplicated_total')),
      ],
    },
    {
      title: 'Sending',
      panels: [
        lines('Accepted by the platform', [[rate('kind', 'relay_events_accepted_total'), '{{kind}}s']], {
          unit: 'cps',
        }),
        lines('Failures by code', [[rate('code', 'relay_forward_failures_total'), '{{code}}']], { unit: 'cps' }),
        lines(
          'Time from receipt of an SOS to its acceptance',
          [
            [quantile(0.5, '', 'relay_sos_acceptance_seconds'), '50 %'],
            [quantile(0.99, '', 'relay_sos_acceptance_seconds'), '99 %'],
          ],
          { unit: 's' },
        ),
        lines(
          'Age of the oldest waiting event',
          [[maxBy('topic', 'relay_oldest_unsent_event_age_seconds'), '{{topic}}']],
          { unit: 's' },
        ),
        lines(
          'Calls to the sensors API by outcome',
          [[rate('outcome', 'relay_http_calls_total', 'upstream="sensors"'), '{{outcome}}']],
          { unit: 'cps' },
        ),
        lines('Parked events', [[rate('', 'relay_events_parked_total'), 'parked']], { unit: 'cps' }),
        lines(
          'Deduplication',
          [
            [rate('', 'relay_events_duplicate_total'), 'duplicates dropped'],
            [rate('', 'relay_events_undeduplicated_total'), 'sent without deduplication'],
          ],
          { unit: 'cps' },
        ),
        lines('Round trips to the store', [[rate('space', 'relay_kv_round_trips_total'), '{{space}}']], {
          unit: 'cps',
        }),
      ],
    },
    processRow('observation-forwarder'),
  ],
};
