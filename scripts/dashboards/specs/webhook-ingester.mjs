import { lines, number, quantiles, rates } from '../panels.mjs';
import { grown, max, rate } from '../query.mjs';
import { processRow } from './process.mjs';

const stored = 'topic=~"source-events|emergencies|dead-letters"';

/** @type {import('../panels.mjs').Dashboard} */
export const ingester = {
  name: 'webhook-ingester',
  title: 'ranger-relay: webhook ingester',
  about: 'Webhook requests of the vendor, and their responses.',
  rows: [
    {
      title: 'At a glance',
      panels: [
        number('SOS rejected', grown('relay_sos_events_total', 'outcome="rejected"')),
        number('SOS dropped', grown('relay_sos_events_total', 'outcome="dropped_disabled"')),
        number('Failed (5xx)', grown('relay_webhook_requests_total', 'status=~"5.."')),
        number('Refused (4xx)', grown('relay_webhook_requests_total', 'status=~"4.."'), { bad: 10 }),
        number('Tokens file stale', max('relay_active_conditions', 'condition="webhook_tokens_stale"')),
      ],
    },
    {
      title: 'Requests',
      panels: [
        lines('Requests by status', [rate('status', 'relay_webhook_requests_total')], { unit: 'reqps' }),
        {
          ...quantiles('Response time', [0.5, 0.99], '', 'relay_webhook_duration_seconds'),
          about: 'The vendor documents no time limit; below 2 s is safe.',
        },
        rates('Events by outcome', 'outcome', 'relay_webhook_events_total'),
        quantiles('Time until stored, 99th percentile', [0.99], 'topic', 'relay_bus_publish_seconds', stored),
      ],
    },
    processRow('webhook-ingester'),
  ],
};
