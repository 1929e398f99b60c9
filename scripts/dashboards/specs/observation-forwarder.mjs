import { lines, number, quantiles, rates } from '../panels.mjs';
import { grown, max, maxBy, named, rate } from '../query.mjs';
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
        number('SOS waiting', max('relay_oldest_unsent_sos_age_seconds'), { unit: 's', bad: 60 }),
        number('SOS refused', grown('relay_sos_events_total', 'outcome="refused"')),
        number('Events waiting', max('relay_oldest_unsent_event_age_seconds', 'topic="source-events"'), {
          unit: 's',
          bad: 300,
        }),
        number('Integrations parked', max('relay_parked_integrations')),
        number('Sent without deduplication', grown('relay_events_undeduplicated_total')),
      ],
    },
    {
      title: 'Sending',
      panels: [
        lines('Accepted by the platform', [named('{{kind}}s', rate('kind', 'relay_events_accepted_total'))], {
          unit: 'cps',
        }),
        rates('Failures by code', 'code', 'relay_forward_failures_total'),
        quantiles('Time from receipt of an SOS to its acceptance', [0.5, 0.99], '', 'relay_sos_acceptance_seconds'),
        lines('Age of the oldest waiting event', [maxBy('topic', 'relay_oldest_unsent_event_age_seconds')], {
          unit: 's',
        }),
        rates('Calls to the sensors API by outcome', 'outcome', 'relay_http_calls_total', 'upstream="sensors"'),
        lines('Parked events', [named('parked', rate('', 'relay_events_parked_total'))], { unit: 'cps' }),
        lines(
          'Deduplication',
          [
            named('duplicates dropped', rate('', 'relay_events_duplicate_total')),
            named('sent without deduplication', rate('', 'relay_events_undeduplicated_total')),
          ],
          { unit: 'cps' },
        ),
        rates('Round trips to the store', 'space', 'relay_kv_round_trips_total'),
      ],
    },
    processRow('observation-forwarder'),
  ],
};
