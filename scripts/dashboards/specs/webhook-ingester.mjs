import { lines, number } from '../panels.mjs';
import { grown, maxBy, quantile, rate } from '../query.mjs';
import { processRow } from './process.mjs';

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
        number('Tokens file stale', maxBy('', 'relay_active_conditions', 'condition="webhook_tokens_stale"')),
      ],
    },
    {
      title: 'Requests',
      panels: [
        lines('Requests by status', [[rate('status', 'relay_webhook_requests_total'), '{{status}}']], {
          unit: 'reqps',
        }),
        lines(
          'Response time',
          [
            [quantile(0.5, '', 'relay_webhook_duration_seconds'), '50 %'],
            [quantile(0.99, '', 'relay_webhook_duration_seconds'), '99 %'],
          ],
          { unit: 's', about: 'The vendor documents no time limit; below 2 s is safe.' },
        ),
        lines('Events by outcome', [[rate('outcome', 'relay_webhook_events_total'), '{{outcome}}']], {
          unit: 'cps',
        }),
        lines(
          'Time until stored, 99th percentile',
          [
            [
              quantile(0.99, 'topic', 'relay_bus_publish_seconds', 'topic=~"source-events|emergencies|dead-letters"'),
              '{{topic}}',
            ],
          ],
          { unit: 's' },
        ),
      ],
    },
    processRow('webhook-ingester'),
  ],
};
