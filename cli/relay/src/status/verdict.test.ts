import type { ConditionName, Details } from '@ranger-relay/runtime';
import { manualClock, testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import type { SosCall } from '../sos/model.ts';
import { sosCall } from '../sos/test/facts.ts';
import { blank, noTexts, overview } from './test/harness.ts';
import { applyFacts, type Facts, listedProblems, verdictOf, type VerdictFacts } from './verdict.ts';

const now = Date.UTC(2026, 0, 1, 12);
const well: Facts = {
  integrations: [blank('a')],
  sos: [],
  texts: noTexts,
  totals: overview().totals,
  lettersSince: now,
  lastWrites: new Map(),
  storeNow: 0,
  dismissed: [],
  now,
};

const call = (seconds: number, delivery: SosCall['delivery']): SosCall =>
  sosCall({ received_at: new Date(now - seconds * 1_000).toISOString(), delivery });

const nameOf = (id: string): string | null => (id === 'a' ? 'North park' : null);

/** The verdict on what bus and store hold, and on conditions that services set 22 s ago. */
const verdictOn = (
  facts: Partial<Facts>,
  set: readonly (readonly [ConditionName, string, Details?])[] = [],
  more: Partial<VerdictFacts> = {},
) => {
  const { conditions } = testContext({ clock: manualClock(now) });
  for (const [name, subject, details] of set) conditions.set(name, subject, details, now - 22_000);
  const all = { ...well, ...facts };
  applyFacts(conditions, all);
  const { waiting } = all.totals;
  const services = [{ name: 'webhook-ingester', ready: true, failing: [] }];
  const { integrations } = all;
  return verdictOf({ conditions: conditions.active(), integrations, services, nameOf, waiting, now, ...more });
};

const cases: readonly (readonly [what: string, facts: Partial<Facts>, level: string, text: RegExp])[] = [
  ['nothing wrong', {}, 'ok', /^Everything works, nothing waits$/],
  ['events on their way', { totals: { ...well.totals, waiting: 3 } }, 'ok', /^Everything works, 3 events on the way$/],
  [
    'an SOS on its way',
    { integrations: [blank('a', { waiting: 1, sos: 1 })], sos: [call(2, 'waiting'), call(60, 'accepted')] },
    'warning',
    /^1 SOS is on the way to the platform$/,
  ],
  [
    'an SOS that waits',
    { sos: [call(35, 'waiting')] },
    'critical',
    /^SOS declared of 300434030000001 of North park waits for the platform, for 35 s$/,
  ],
  [
    'an SOS that was refused',
    { sos: [call(9, 'refused')] },
    'critical',
    /^SOS declared of 300434030000001 of North park is in the dead letters, for 9 s$/,
  ],
  [
    'an SOS of which nothing proves that it was accepted',
    { sos: [call(9, 'not_known')] },
    'critical',
    /^It is not known whether the platform accepted SOS declared of 300434030000001 of North park, for 9 s$/,
  ],
  [
    'parked events',
    { integrations: [blank('a', { parked: 340, oldest_unsent_seconds: 7_200 })] },
    'warning',
    /^North park: 340 events wait \(340 parked\), for 2 h$/,
  ],
  [
    'events that wait for long',
    { integrations: [blank('a', { waiting: 1, oldest_unsent_seconds: 90 })] },
    'warning',
    /^North park: 1 event waits, for 1 min 30 s$/,
  ],
  [
    'dead letters, since the oldest of them',
    { totals: { ...well.totals, dead_letters: 1 }, lettersSince: now - 180_000 },
    'warning',
    /^1 dead letter waits for a decision, for 3 min$/,
  ],
  [
    'texts without an outcome',
    { texts: { ...noTexts, unknown: 2, oldest_undecided_seconds: 600 } },
    'warning',
    /^2 texts to devices are undecided, for 10 min$/,
  ],
];

for (const [what, facts, level, text] of cases)
  test(`the verdict on ${what}`, (t) => {
    const verdict = verdictOn(facts);
    t.is(verdict.level, level as typeof verdict.level);
    t.regex(verdict.text, text);
    t.is(verdict.problems.length, level === 'ok' ? 0 : 1);
  });

test('a refused key names the park, since when, what waits because of it, and what to do', (t) => {
  const integrations = [blank('a', { waiting: 2, sos: 1, oldest_unsent_seconds: 90 })];
  const { problems } = verdictOn({ integrations }, [['api_key_refused', 'a']]);
  t.is(problems.length, 1);
  t.is(problems[0]?.text, 'North park: the platform refuses its API key, for 22 s; 1 SOS and 1 event wait');
  t.regex(problems[0]?.remedy ?? '', /^Bind the key to the integration in the portal/);
});

test('what is seen only when somebody asks tells when it was seen last, and since when if that is longer', (t) => {
  const { text } = verdictOn({}, [['webhook_token_refused', 'b']], { now: now + 120_000 });
  t.is(text, 'b: 1 request with a wrong token, the last 2 min ago');
  const state = { name: 'webhook_token_refused', subject: 'b', active: true, count: 3, details: {} } as const;
  const conditions = [{ ...state, since: now - 600_000, lastAt: now - 4_000 }];
  t.is(verdictOn({}, [], { conditions }).text, 'b: 3 requests with a wrong token, for 10 min, the last 4 s ago');
});

test('what is about an SOS is said first, also where it follows from another fault', (t) => {
  const refused = { state: 'declared', recorded_at: '12:00', status: 503, code: 'store_full', reason: 'full' };
  const token = ['webhook_token_refused', 'b'] as const;
  const { problems } = verdictOn({}, [token, ['sos_not_stored', 'a/d/e', refused]]);
  t.deepEqual(
    problems.map(({ condition }) => condition),
    ['sos_not_stored', 'webhook_token_refused'],
  );
  const full = ['volume_full', '', { path: '/data', free_mib: 0, free_percent: 0 }] as const;
  const { text } = verdictOn({}, [token, full, ['sos_not_stored', 'a/d/e', refused]]);
  t.regex(text, /^The volume of .*; follows from it: SOS/i);
});

test('a condition of many subjects is one line with their number', (t) => {
  const set = ['a', 'b', 'c', 'd', 'e'].map((id) => ['forwarding_failing', id, { reason: 'x' }] as const);
  const { text, problems } = verdictOn({}, set);
  t.is(problems.length, 5);
  t.is(listedProblems(problems).length, 1);
  t.is(listedProblems(problems)[0]?.text, text);
  t.regex(text, /^North park: .* \(and 4 more\)$/);
});

test('the worst is the verdict, and everything else is behind it', (t) => {
  const { level, problems } = verdictOn({
    totals: { ...well.totals, dead_letters: 4 },
    sos: [call(60, 'waiting')],
  });
  t.is(level, 'critical');
  t.deepEqual(
    problems.map(({ condition }) => condition),
    ['sos_waiting', 'dead_letters'],
  );
});

test('what bus and store show ends when they show it no more, and touches no other condition', (t) => {
  const { conditions } = testContext();
  conditions.set('api_key_refused', 'a');
  applyFacts(conditions, { ...well, sos: [call(60, 'waiting')], totals: { ...well.totals, dead_letters: 1 } });
  t.is(conditions.active().length, 3);
  applyFacts(conditions, well);
  t.deepEqual(
    conditions.active().map(({ name }) => name),
    ['api_key_refused'],
  );
});
