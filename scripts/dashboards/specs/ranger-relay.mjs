import { lines, number } from '../panels.mjs';
import { grown, maxBy, of, rate } from '../query.mjs';
import { processRow } from './process.mjs';

const missed = 'outcome=~"rejected|dropped_disabled|refused"';

/** @type {import('../panels.mjs').Dashboard} */
export const overview = {
  name: 'ranger-relay',
  title: 'ranger-relay',
  about: 'From the vendor to the platform and back: who waits, what flows, what is refused.',
  rows: [
    {
      title: 'Is anyone in danger?',
      panels: [
        number('SOS waiting', maxBy('', 'relay_oldest_unsent_sos_age_seconds'), {
          unit: 's',
          bad: 60,
          about: 'How long the oldest call for help in hand has waited.',
        }),
        number('SOS not delivered', grown('relay_sos_events_total', missed), {
          about: 'Rejected, refused, or dropped with a disabled integration, in the chosen time.',
        }),
        number('SOS parked', grown('relay_sos_events_total', 'outcome="parked"'), {
          about: 'Behind an integration that fails, in the chosen time.',
        }),
        number('Events waiting', maxBy('', 'relay_oldest_unsent_event_age_seconds', 'topic="source-events"'), {
          unit: 's',
          bad: 300,
        }),
        number('Parks that are parked', maxBy('', 'relay_parked_integrations')),
        number('Texts given up or held', grown('relay_texts_total', 'outcome=~"failed|held"')),
      ],
    },
    {
      title: 'Flow',
      panels: [
        lines('Requests of the vendor, by answer', [[rate('status', 'relay_webhook_requests_total'), '{{status}}']], {
          unit: 'reqps',
        }),
        lines('Events that came in', [[rate('outcome', 'relay_webhook_events_total'), '{{outcome}}']], { unit: 'cps' }),
        lines('Accepted by the platform', [[rate('kind', 'relay_events_accepted_total'), '{{kind}}s']], {
          unit: 'cps',
        }),
        lines(
          'Age of the oldest that waits',
          [
            [maxBy('topic', 'relay_oldest_unsent_event_age_seconds'), '{{topic}}'],
            [maxBy('', 'relay_oldest_unsent_text_age_seconds'), 'texts'],
            [maxBy('', 'relay_oldest_command_age_seconds'), 'commands'],
          ],
          { unit: 's' },
        ),
        lines(
          'SOS events',
          [
            [rate('outcome', 'relay_sos_events_total'), '{{outcome}}'],
            [rate('', 'relay_sos_acceptance_seconds_count'), 'accepted'],
          ],
          { unit: 'cps' },
        ),
        lines('Texts to devices', [[rate('outcome', 'relay_texts_total'), '{{outcome}}']], { unit: 'cps' }),
      ],
    },
    {
      title: 'Refusals and failures',
      panels: [
        lines(
          'Calls that did not end well',
          [[rate('upstream, outcome', 'relay_http_calls_total', 'outcome!="2xx"'), '{{upstream}} {{outcome}}']],
          { unit: 'cps' },
        ),
        lines('Failures of sending, by code', [[rate('code', 'relay_forward_failures_total'), '{{code}}']], {
          unit: 'cps',
        }),
        lines('Dead letters that nobody has replayed or dropped', [
          [maxBy('kind, reason', 'relay_outstanding_dead_letters'), '{{kind}} {{reason}}'],
        ]),
        lines(
          'Without deduplication, and repeats that were dropped',
          [
            [rate('', 'relay_events_undeduplicated_total'), 'sent unmarked'],
            [rate('', 'relay_events_duplicate_total'), 'repeats dropped'],
          ],
          { unit: 'cps' },
        ),
      ],
    },
    {
      title: 'Parts',
      panels: [
        lines('Processes', [[`count by (component) (${of('relay_component_info')})`, '{{component}}']]),
        lines('Not ready', [
          [`count by (release) (${of('relay_ready')} == 0)`, 'not ready'],
          [`count by (store) (${of('relay_store_ready')} == 0)`, 'without {{store}}'],
        ]),
        lines(
          'Old configuration, lost entries',
          [
            [rate('', 'relay_config_stale_total'), 'old configuration served'],
            [rate('', 'relay_activity_dropped_total'), 'entries dropped'],
          ],
          { unit: 'cps' },
        ),
        lines(
          'Volume of the data directory, left',
          [[`${of('relay_volume_free_bytes')} / ${of('relay_volume_size_bytes')}`, '{{pod}} {{instance}}']],
          { unit: 'percentunit' },
        ),
      ],
    },
    processRow(),
  ],
};
