import test from 'ava';
import type { SosCall } from '../sos/model.ts';
import { sosCall } from '../sos/test/facts.ts';
import { blank, noTexts, overview } from './test/harness.ts';
import { verdictOf, type Facts } from './verdict.ts';

const now = Date.UTC(2026, 0, 1, 12);
const none = new Map<string, number>();
const well: Facts = {
  services: [{ name: 'webhook-ingester', ready: true, failing: [] }],
  integrations: [blank('a')],
  sos: [],
  texts: noTexts,
  runs: [],
  totals: overview().totals,
  recent: { webhooks: none, platform: none, sensors: none },
  now,
};

const call = (seconds: number, delivery: SosCall['delivery']): SosCall =>
  sosCall({ received_at: new Date(now - seconds * 1_000).toISOString(), delivery });

const cases: readonly (readonly [what: string, facts: Partial<Facts>, level: string, text: RegExp])[] = [
  ['nothing wrong', {}, 'ok', /^Everything works, nothing waits$/],
  ['events on their way', { totals: { ...well.totals, waiting: 3 } }, 'ok', /^Everything works, 3 events on the way$/],
  ['an SOS on its way', { sos: [call(2, 'waiting'), call(60, 'accepted')] }, 'ok', /^Everything works/],
  [
    'an SOS that waits',
    { sos: [call(35, 'waiting')] },
    'critical',
    /^1 SOS waits for the platform, the oldest for 35 s$/,
  ],
  [
    'an SOS that was refused',
    { sos: [call(9, 'refused')] },
    'critical',
    /^1 SOS could not be delivered and is in the dead letters$/,
  ],
  [
    'an SOS of which nothing proves that it was accepted',
    { sos: [call(9, 'not_known')] },
    'warning',
    /^It is not known whether the platform accepted 1 SOS: ranger-relay sos$/,
  ],
  [
    'a service that is not ready',
    { services: [{ name: 'observation-forwarder', ready: false, failing: ['bus connected'] }] },
    'critical',
    /^Observation-forwarder is not ready \(bus connected\)$/,
  ],
  [
    'a webhook that refuses everything',
    { recent: { ...well.recent!, webhooks: new Map([['503', 12]]) } },
    'critical',
    /^12 of the vendor's 12 requests in the last minute were answered 503$/,
  ],
  [
    'a webhook that refuses some',
    {
      recent: {
        ...well.recent!,
        webhooks: new Map([
          ['200', 3],
          ['503', 1],
        ]),
      },
    },
    'warning',
    /^1 of the vendor's 4 requests in the last minute was answered 503$/,
  ],
  [
    'callers without a right',
    { recent: { ...well.recent!, webhooks: new Map([['401', 2]]) } },
    'warning',
    /2 requests in the last minute were answered 401$/,
  ],
  [
    'a platform whose name cannot be resolved',
    { recent: { ...well.recent!, platform: new Map([['name_unresolved', 7]]) } },
    'critical',
    /^The platform accepted none of 7 calls in the last minute \(name_unresolved\)$/,
  ],
  [
    'a platform that answers something',
    {
      recent: {
        ...well.recent!,
        sensors: new Map([
          ['5xx', 7],
          ['2xx', 1],
        ]),
      },
    },
    'ok',
    /^Everything works/,
  ],
  [
    'parked events',
    {
      integrations: [blank('a', { parked: 340, oldest_unsent_seconds: 7_200 })],
      totals: { ...well.totals, parked: 340 },
    },
    'warning',
    /^340 events of 1 integration are parked, the oldest for 2 h$/,
  ],
  [
    'events that wait for long',
    { integrations: [blank('a', { oldest_unsent_seconds: 90 })] },
    'warning',
    /^Events of 1 integration wait, the oldest for 1 min 30 s$/,
  ],
  ['dead letters', { totals: { ...well.totals, dead_letters: 1 } }, 'warning', /^1 dead letter waits for a decision$/],
  [
    'texts without an end',
    { texts: { ...noTexts, unknown: 2, oldest_undecided_seconds: 600 } },
    'warning',
    /^2 texts to devices undecided, the oldest for 10 min$/,
  ],
  [
    'a run that failed',
    { runs: [{ integration_id: 'a', action_id: 'pull_events', ended_at: '2026-01-01T00:00:00Z', outcome: 'failed' }] },
    'warning',
    /^The last run of pull_events failed$/,
  ],
];

for (const [what, facts, level, text] of cases)
  test(`the verdict on ${what}`, (t) => {
    const verdict = verdictOf({ ...well, ...facts });
    t.is(verdict.level, level as typeof verdict.level);
    t.regex(verdict.text, text);
    t.is(verdict.problems.length, level === 'ok' ? 0 : 1);
  });

test('the worst is the verdict, and everything else is told behind it', (t) => {
  const { level, problems } = verdictOf({
    ...well,
    totals: { ...well.totals, dead_letters: 4 },
    sos: [call(60, 'waiting')],
  });
  t.is(level, 'critical');
  t.deepEqual(
    problems.map((problem) => problem.level),
    ['critical', 'warning'],
  );
});

test('where services cannot be asked, what is stored is judged alone', (t) => {
  t.is(verdictOf({ ...well, services: [], recent: undefined }).level, 'ok');
});
