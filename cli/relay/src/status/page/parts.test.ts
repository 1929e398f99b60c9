import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { entry } from '../../activity/test/harness.ts';
import type { LetterHead } from '../../dlq/letters.ts';
import { sosCall } from '../../sos/test/facts.ts';
import type { Overview } from '../model.ts';
import { blank, overview, problem } from '../test/harness.ts';
import { partsOf, type PageView } from './parts.ts';

const now = Date.UTC(2026, 0, 1, 12);
const base = overview();

const draw = async (status: Partial<Overview['status']> = {}, more: Partial<PageView> & Partial<Overview> = {}) => {
  const { totals = base.totals, letters = [], ...rest } = more;
  const view: PageView = {
    overview: { status: { ...base.status, ...status }, totals, letters },
    flow: { posts: 3, stored: 12_345, duplicates: 2 },
    activity: [],
    simulated: undefined,
    now,
    settings: [],
    ...rest,
  };
  return String(await partsOf(view)).replaceAll(/\s+/g, ' ');
};

/** The part with an id, as far as its end tag. */
const part = (markup: string, id: string): string =>
  new RegExp(`<(\\w+) id="${id}"[^>]*>.*?</\\1>`).exec(markup)?.[0] ?? '';

const call = sosCall({ name: 'North park', received_at: '2026-01-01T11:59:25Z' });

const letter: LetterHead = {
  id: 'letter-1',
  kind: 'webhook_event',
  integration_id: 'a',
  reason: 'bad_time',
  received_at: '2026-01-01T11:00:00Z',
  failed_at: '2026-01-01T11:00:00Z',
  attempts: 1,
  kept_bytes: 1,
  sos: null,
  stored: { at: 0, partition: 0, offset: 0n },
};

test('the verdict is the first thing, and everything else that is wrong is behind it', async (t) => {
  const markup = await draw({
    verdict: {
      level: 'critical',
      text: 'The platform accepted none of 7 calls',
      problems: [
        problem('critical', 'The platform accepted none of 7 calls'),
        problem('warning', '3 dead letters wait for a decision'),
      ],
    },
  });
  t.regex(markup, /^<div id="verdict" data-part class="bad"/);
  t.regex(
    part(markup, 'verdict'),
    /<span>The platform accepted none of 7 calls <small>Run `ranger-relay doctor`.<\/small><\/span>/,
  );
  t.regex(part(markup, 'verdict'), /<li class="warn">3 dead letters wait for a decision <small>/);
});

test('an SOS stands above everything else, with who calls, since when and where it is', async (t) => {
  const markup = await draw({ sos: [call] });
  t.true(markup.indexOf('id="sos"') < markup.indexOf('id="flow"'));
  const sos = part(markup, 'sos');
  t.regex(sos, /class="open"/);
  t.regex(sos, /SOS declared<\/strong> by device 300434030000001, 35 s ago/);
  t.regex(sos, /North park · The platform has not accepted it yet\./);
  t.notRegex(sos, / hidden/);
  t.regex(
    part(await draw({ sos: [{ ...call, delivery: 'accepted', open: false }] }), 'sos'),
    /class="taken".*The platform has accepted it/,
  );
  t.regex(
    part(await draw({ sos: [{ ...call, delivery: 'refused', dead_letter: 'letter-9' }] }), 'sos'),
    /could not be delivered.*<code>npx ranger-relay dlq show letter-9<\/code>/,
  );
  t.regex(part(await draw(), 'sos'), / hidden/);
});

test('integrations go by their names, with the id beside', async (t) => {
  const markup = part(await draw({ integrations: [blank('a', { name: 'North park' }), blank('b')] }), 'integrations');
  t.regex(markup, /data-label="Integration" class="wide">North park <small>a<\/small>/);
  t.regex(markup, /data-label="Integration" class="wide">b</);
  t.regex(markup, /data-label="Parked"/);
});

test('dead letters are listed with their reason and the command that shows them', async (t) => {
  const markup = part(await draw({}, { letters: [letter], totals: { ...base.totals, dead_letters: 7 } }), 'letters');
  t.regex(markup, /The newest 1 of 7 dead letters/);
  t.regex(markup, /bad_time.*webhook event.*1 h ago.*<code>npx ranger-relay dlq show letter-1<\/code>/);
  const told = { state: 'declared' as const, source: 'x', event_id: null, recorded_at: null, parts: [] };
  const sos = { ...letter, sos: told };
  t.regex(part(await draw({}, { letters: [sos] }), 'letters'), /<b class="bad">SOS<\/b> bad_time/);
});

test('a command that is shown works in another terminal, whatever DATA_DIR the process has', async (t) => {
  const refused = { ...call, delivery: 'refused' as const, dead_letter: 'letter-9' };
  const markup = await draw({ sos: [refused] }, { letters: [letter], settings: ['DATA_DIR=/data'] });
  for (const [where, id] of [
    ['sos', 'letter-9'],
    ['letters', 'letter-1'],
  ] as const)
    t.true(part(markup, where).includes(`<code>DATA_DIR=/data npx ranger-relay dlq show ${id}</code>`), where);
});

test('the flow shows live counts, and services that are not ready', async (t) => {
  const services = [
    { name: 'webhook-ingester', ready: true, failing: [] },
    { name: 'observation-forwarder', ready: false, failing: [] },
    { name: 'message-pusher', ready: false, failing: [] },
  ];
  const flow = part(
    await draw({ services }, { totals: { ...base.totals, parked: 2, waiting: 1, oldest_unsent_seconds: 90 } }),
    'flow',
  );
  t.regex(flow, /<b>12 345<\/b>.*stored/);
  t.regex(flow, /<span class="dot good"><\/span>Ingester/);
  t.regex(flow, /<span class="dot bad"><\/span>Forwarder<\/strong> <p>not ready/);
  t.regex(flow, /3 waiting, oldest 1 min 30 s/);
  t.regex(flow, /<span class="warn">2 parked/);
  t.regex(flow, /<span class="bad">message-pusher not ready/);
});

test('texts to devices and last runs are told once there are some', async (t) => {
  const texts = { accepted: 3, failed: 0, pending: 1, unknown: 1, oldest_undecided_seconds: 5 };
  const runs = [
    { integration_id: 'a', action_id: 'pull_events', ended_at: '2026-01-01T11:59:00Z', outcome: 'failed' as const },
  ];
  const markup = await draw({ texts, runs });
  t.regex(markup, /<span class="warn">3 texts to devices sent, 1 on the way, 1 perhaps sent/);
  t.regex(part(markup, 'runs'), /pull_events.*1 min ago.*class="bad">failed/);
  t.regex(part(await draw(), 'runs'), / hidden/);
});

const item = (kind: 'message' | 'observation', more: Record<string, unknown>) => ({
  kind,
  integration_id: 'a',
  at: '2026-01-01T11:59:00Z',
  item: { source: '300434030000001', location: { lat: -1.2861, lon: 36.8172 }, ...more },
});

test('with simulators their items are listed the newest first, and an SOS stands out', async (t) => {
  const simulated = [
    item('observation', { additional: { message_code_name: 'position_report' } }),
    item('message', { text: 'Back at noon', additional: {} }),
    item('message', { text: 'SOS declared', location: undefined, additional: { sos: 'declared' } }),
  ];
  const list = part(await draw({}, { simulated }), 'simulated');
  t.regex(
    list,
    /class="sos".*SOS declared.*no position.*class="message".*“Back at noon”.*position report.*-1\.2861, 36\.8172/,
  );
  t.is(part(await draw(), 'simulated'), '');
  const verdict = (markup: string) => part(markup, 'verdict');
  t.regex(verdict(await draw({}, { simulated })), /^[^>]*>\s*<p[^>]*><strong>SIMULATED: /);
  t.notRegex(verdict(await draw()), /SIMULATED/);
});

test('times name their zone, and counts say since when they count', async (t) => {
  const activity = [{ ...entry(1, { title: 'x', level: 30 }), event_type: 'IntegrationWebhookCustomLog' }];
  const view = await draw({}, { activity });
  t.regex(part(view, 'activity'), /<time>\d\d:\d\d:\d\d UTC<\/time>/);
  const flow = part(view, 'flow');
  for (const since of [/since this process started/, /since the store exists/, /last eight days/]) t.regex(flow, since);
});

test('recent activity is worded and coloured by its level, without starts and counts of nothing', async (t) => {
  const activity = [
    entry(1, { result: { total_observations: 2, rejected: 0 } }),
    { ...entry(2, { webhook_id: undefined, action_id: 'auth', error: 'no' }), event_type: 'IntegrationActionFailed' },
    { ...entry(3), event_type: 'IntegrationWebhookStarted' },
    {
      ...entry(4, { title: 'SOS declared', level: 30, data: { imei: '1' } }),
      event_type: 'IntegrationWebhookCustomLog',
    },
  ];
  const list = part(await draw({}, { activity }), 'activity');
  t.regex(list, /webhook complete.*device_connector_webhook · total observations 2</);
  t.regex(list, /<li class="failed">.*action failed.*auth · no/);
  t.regex(list, /<li class="warned">.*SOS declared.*imei 1/);
  t.notRegex(list, /started|rejected/);
});

testProp(
  'markup from outside stays text',
  [fc.constantFrom('<b>', '"><script>', "' onload='", '&lt;')],
  async (t, text) => {
    const more = `${text}x`;
    const markup = await draw(
      {
        integrations: [blank(more, { name: more })],
        sos: [{ ...call, source: more, integration_id: more }],
        services: [{ name: more, ready: false, failing: [more] }],
        verdict: { level: 'critical', text: more, problems: [problem('critical', more)] },
      },
      {
        letters: [{ ...letter, id: more, reason: more, kind: more }],
        activity: [entry(1, { title: more, data: { [more]: more } })],
        simulated: [{ kind: 'message', integration_id: more, at: more, item: { text: more, source: more } }],
      },
    );
    t.false(markup.includes(more));
    t.notRegex(markup, /<script|<b>[^<]*x|onload='/);
  },
);
