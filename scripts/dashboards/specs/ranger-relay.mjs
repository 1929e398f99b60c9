import { lines, number, rates } from '../panels.mjs';
import { grown, max, maxBy, named, of, rate } from '../query.mjs';
import { processRow } from './process.mjs';

const missed = 'outcome=~"rejected|dropped_disabled|refused"';

/** @type {import('../panels.mjs').Dashboard} */
export const overview = {
  name: 'ranger-relay',
  title: 'ranger-relay',
  about: 'Events from the vendor to the platform, and texts back: ages, rates and failures.',
  rows: [
    {
      title: 'Is anyone in danger?',
      panels: [
        number('SOS waiting', max('relay_oldest_unsent_sos_age_seconds'), {
          unit: 's',
          bad: 60,
          about: 'Age of the oldest SOS event that the platform has not accepted.',
        }),
        number('SOS not delivered', grown('relay_sos_events_total', missed), {
          about: 'Rejected, refused, or dropped because the integration is disabled, in the selected time range.',
        }),
        number('Events waiting', max('relay_oldest_unsent_event_age_seconds', 'topic="source-events"'), {
          unit: 's',
          bad: 300,
        }),
        number('Parked integrations', max('relay_parked_integrations')),
        number('Texts failed or held', grown('relay_texts_total', 'outcome=~"failed|held"')),
      ],
    },
    {
      title: 'What is wrong',
      panels: [
        lines(
          'Conditions that hold',
          [[`${maxBy('condition, severity', 'relay_active_conditions')[0]} > 0`, '{{severity}} {{condition}}']],
          { about: 'Number of integrations, topics or devices of each; `ranger-relay status` names them.' },
        ),
      ],
    },
    {
      title: 'Flow',
      panels: [
        lines('Webhook requests by status', [rate('status', 'relay_webhook_requests_total')], { unit: 'reqps' }),
        rates('Received events', 'outcome', 'relay_webhook_events_total'),
        lines('Accepted by the platform', [named('{{kind}}s', rate('kind', 'relay_events_accepted_total'))], {
          unit: 'cps',
        }),
        lines(
          'Age of the oldest waiting record',
          [
            maxBy('topic', 'relay_oldest_unsent_event_age_seconds'),
            named('texts', maxBy('', 'relay_oldest_unsent_text_age_seconds')),
            named('commands', maxBy('', 'relay_oldest_command_age_seconds')),
          ],
          { unit: 's' },
        ),
        lines(
          'SOS events',
          [
            rate('outcome', 'relay_sos_events_total'),
            named('accepted', rate('', 'relay_sos_acceptance_seconds_count')),
          ],
          { unit: 'cps' },
        ),
        rates('Texts to devices', 'outcome', 'relay_texts_total'),
      ],
    },
    {
      title: 'Refusals and failures',
      panels: [
        rates('Failed HTTP calls', 'upstream, outcome', 'relay_http_calls_total', 'outcome!="2xx"'),
        rates('Forwarding failures by code', 'code', 'relay_forward_failures_total'),
        lines('Outstanding dead letters', [maxBy('kind, reason', 'relay_outstanding_dead_letters')]),
        lines(
          'Deduplication',
          [
            named('sent without deduplication', rate('', 'relay_events_undeduplicated_total')),
            named('duplicates dropped', rate('', 'relay_events_duplicate_total')),
          ],
          { unit: 'cps' },
        ),
      ],
    },
    {
      title: 'Components',
      panels: [
        lines('Processes', [[`count by (component) (${of('relay_component_info')})`, '{{component}}']]),
        lines('Not ready', [
          [`count by (release) (${of('relay_ready')} == 0)`, 'not ready'],
          [`count by (store) (${of('relay_store_ready')} == 0)`, '{{store}} unavailable'],
        ]),
        lines(
          'Cached configuration, dropped activity entries',
          [
            named('cached configuration used', rate('', 'relay_config_stale_total')),
            named('activity entries dropped', rate('', 'relay_activity_dropped_total')),
          ],
          { unit: 'cps' },
        ),
        lines(
          'Free space on the volume of the data directory',
          [[`${of('relay_volume_free_bytes')} / ${of('relay_volume_size_bytes')}`, '{{pod}} {{instance}}']],
          { unit: 'percentunit' },
        ),
      ],
    },
    processRow(),
  ],
};
