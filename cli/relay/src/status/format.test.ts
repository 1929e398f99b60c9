import { stripVTControlCharacters } from 'node:util';
import test from 'ava';
import { sosCall } from '../sos/test/facts.ts';
import { createPaint } from '@ranger-relay/terminal';
import { statusLines } from './format.ts';
import type { Status } from './model.ts';
import { blank, noTexts, problem } from './test/harness.ts';

const now = Date.UTC(2026, 0, 1, 12);
const plain = createPaint(false);

const status: Status = {
  verdict: {
    level: 'critical',
    text: 'Observation-forwarder is not ready',
    problems: [
      problem('critical', 'Observation-forwarder is not ready'),
      problem('warning', '3 dead letters wait for a decision'),
    ],
  },
  sos: [],
  services: [
    { name: 'webhook-ingester', ready: true, failing: [] },
    { name: 'observation-forwarder', ready: false, failing: [] },
  ],
  integrations: [
    blank('integration-a', {
      accepted_observations: 12_345,
      accepted_messages: 6,
      last_event_at: '2026-01-01T11:59:00Z',
      oldest_unsent_seconds: 612,
      parked: 20,
      dead_letters: 3,
      name: 'North park',
    }),
    blank('b'),
  ],
  texts: noTexts,
  runs: [],
  unassigned_dead_letters: 0,
};

test('what is wrong comes first, each with what to do, then services and integrations, in aligned columns with human ages', (t) => {
  t.deepEqual(statusLines(status, now, plain), [
    'CRITICAL  Observation-forwarder is not ready',
    '          Run `ranger-relay doctor`.',
    'WARNING   3 dead letters wait for a decision',
    '          Run `ranger-relay doctor`.',
    '',
    'service                state',
    'webhook-ingester       ready',
    'observation-forwarder  not ready',
    '',
    'integration    observations  messages  last event  oldest unsent  parked  dead letters  name',
    'integration-a        12 345         6   1 min ago    10 min 12 s      20             3  North park',
    'b                         0         0       never              –       0             0  –',
    'Observations and messages: accepted by the platform since the store exists.',
  ]);
});

test('where nothing is wrong the first line says so', (t) => {
  const verdict = { level: 'ok' as const, text: 'Everything works, nothing waits', problems: [] };
  t.is(statusLines({ ...status, verdict }, now, plain)[0], 'OK  Everything works, nothing waits');
});

test('a status of simulators begins with that', (t) => {
  const up = { id: 'one', data_dir: '/data', platform: 'simulated' as const };
  t.regex(statusLines({ ...status, up }, now, plain)[0] ?? '', /^SIMULATED: no platform is configured/);
});

test('an SOS stands before everything but the verdict, with the command for one that was refused', (t) => {
  const lines = statusLines(
    {
      ...status,
      sos: [
        sosCall({ name: 'North park', received_at: '2026-01-01T11:59:30Z' }),
        sosCall({ integration_id: 'b', received_at: '2026-01-01T11:58:00Z', delivery: 'refused', dead_letter: 'one' }),
      ],
    },
    now,
    plain,
  );
  t.deepEqual(lines.slice(5, 8), [
    'SOS           device           integration     called  state  delivery',
    'SOS declared  300434030000001  North park    30 s ago  open   waits',
    'SOS declared  300434030000001  b            2 min ago  open   refused: ranger-relay dlq show one',
  ]);
});

test('colours change nothing but colours', (t) => {
  const coloured = statusLines(status, now, createPaint(true));
  t.deepEqual(coloured.map(stripVTControlCharacters), statusLines(status, now, plain));
  t.true(coloured.join('').includes('\u001B[31mnot ready'));
});

test('dead letters of no integration are told at the end', (t) => {
  const lines = statusLines({ ...status, unassigned_dead_letters: 2 }, now, plain);
  t.is(lines.at(-1), '2 dead letters without an integration: ranger-relay dlq list');
});

test('before the first event that is said', (t) => {
  t.true(statusLines({ ...status, integrations: [] }, now, plain).includes('No event is stored yet.'));
});

test('control characters of an id do not reach the terminal', (t) => {
  const lines = statusLines({ ...status, services: [], integrations: [blank('a\u001B[2J')] }, now, plain);
  t.false(lines.join('').includes('\u001B'));
});

test('texts to devices and last runs are told when there are some', (t) => {
  const more = {
    ...status,
    texts: { accepted: 1_200, failed: 1, pending: 2, unknown: 0, oldest_undecided_seconds: 90 },
    runs: [
      { integration_id: 'b', action_id: 'auth', ended_at: '2026-01-01T11:00:00Z', outcome: 'failed' as const },
      { integration_id: 'b', action_id: 'pull_events', ended_at: '2026-01-01T11:59:30Z', outcome: 'complete' as const },
    ],
  };
  t.deepEqual(statusLines(more, now, plain).slice(-5), [
    'Texts to devices in eight days: 1 200 accepted, 1 failed, 2 pending, 0 unknown; the oldest undecided is 1 min 30 s old.',
    '',
    'integration  action       last run  outcome',
    'b            auth          1 h ago  failed',
    'b            pull_events  30 s ago  complete',
  ]);
});
