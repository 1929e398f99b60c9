import test from 'ava';
import { z } from 'zod';
import { action, handlers, scheduled } from '../test/actions.ts';
import { park, harness, type Harness } from '../test/harness.ts';
import type { ExecuteOutcome, ExecuteRequest } from './request.ts';

const wordOf = (outcome: ExecuteOutcome): string => {
  if (outcome.kind === 'skipped') return `skipped ${outcome.reason}`;
  return outcome.kind === 'refused' ? `refused ${outcome.error.code}` : outcome.kind;
};

const rows: [string, (w: Harness) => void, string, string][] = [
  [
    'the integration is disabled',
    (w) => (w.platform.enabled = false),
    'skipped integration_disabled',
    'refused integration_disabled',
  ],
  [
    'there is no configuration',
    (w) => (w.platform.configs = {}),
    'skipped no_configuration',
    'refused action_config_missing',
  ],
  [
    'it is not valid',
    (w) => (w.platform.configs = { work: { days: 'x' } }),
    'skipped invalid_configuration',
    'refused action_config_invalid',
  ],
  [
    'the platform does not know the integration',
    (w) => (w.platform.known = false),
    'refused integration_unknown',
    'refused integration_unknown',
  ],
  [
    'the platform is down',
    (w) => (w.platform.down = true),
    'refused platform_unavailable',
    'refused platform_unavailable',
  ],
];
for (const [what, prepare, auto, manual] of rows)
  test(`${what}: scheduled ${auto}, manual ${manual}, and nothing is told`, async (t) => {
    const w = harness(handlers('pull'));
    w.platform.configs = { work: scheduled };
    prepare(w);
    t.is(wordOf(await w.run('work')), auto);
    t.is(wordOf(await w.run('work', { triggeredBy: 'manual' })), manual);
    t.false(w.kinds().includes('Started'));
  });

test('an integration of another type is refused, whoever asks, and nothing is told in its activity log', async (t) => {
  const w = harness({ ...handlers('generic'), action_pull: action('pull') }, { slug: 'site_connector' });
  w.platform.configs = { work: {}, pull: scheduled };
  t.is((await w.run('work')).kind, 'complete');
  w.platform.type = 'weather_connector';
  const before = w.entries.length;
  for (const triggeredBy of ['auto', 'manual'] as const)
    for (const id of ['work', 'pull'])
      t.like(await w.run(id, { triggeredBy }), {
        kind: 'refused',
        error: { code: 'integration_other_type', status: 404 },
      });
  const unsaved = { type: 'weather_connector', baseUrl: null, configurations: { work: {} } };
  t.like(await w.run('work', { integration: { unsaved } }), { error: { code: 'integration_other_type' } });
  t.is((await w.run('work', { integration: { unsaved: { ...unsaved, type: ' Site_Connector' } } })).kind, 'complete');
  t.is(w.entries.length, before);
});

test('an unknown integration is said before an unknown action, that before a disabled integration', async (t) => {
  const w = harness(handlers('generic'));
  w.platform.enabled = false;
  t.is(wordOf(await w.run('nothing')), 'refused action_unknown');
  w.platform.known = false;
  t.is(wordOf(await w.run('nothing')), 'refused integration_unknown');
});

const data = z.object({ event_type: z.string(), payload: z.object({ text: z.string() }) });
const pushed = (value: unknown, model = 'TextLong'): Partial<ExecuteRequest> => ({
  wanted: { model, data: value, attributes: { destination_id: park } },
});
const pushHarness = () => {
  const w = harness(handlers('push', (context) => ({ got: context.data, with: context.attributes }), { data }));
  w.platform.configs = { work: {} };
  return w;
};

test('data finds its action by its model, and reaches it as the model reads it', async (t) => {
  const w = pushHarness();
  const value = { event_type: 'TextLong', payload: { text: 'x', more: 1 } };
  t.deepEqual(await w.run('', pushed(value)), {
    kind: 'complete',
    result: { got: { event_type: 'TextLong', payload: { text: 'x' } }, with: { destination_id: park } },
  });
});

test('data of no known type, or that does not fit, is refused', async (t) => {
  const w = pushHarness();
  t.is(wordOf(await w.run('', pushed({}, 'Other'))), 'refused data_model_unknown');
  t.is(wordOf(await w.run('', pushed({ event_type: 'TextLong', payload: {} }))), 'refused action_data_invalid');
  t.is(wordOf(await w.run('work')), 'refused action_data_invalid');
});

test('what is refused says why in the form of a failure', async (t) => {
  const w = harness(handlers('generic'));
  t.like(await w.run('work'), {
    report: {
      integration_id: park,
      action_id: 'work',
      config_data: null,
      error: `Not run — The integration ${park} has no configuration for work`,
      error_traceback: '',
      error_type: null,
    },
  });
});

test('integration and configuration are asked for at once', async (t) => {
  const w = harness(handlers('generic'));
  w.platform.configs = { work: {} };
  await w.run('work');
  t.is(w.platform.asked, 2);
});

const unsaved = (configurations: Record<string, unknown>): Partial<ExecuteRequest> => ({
  integration: { unsaved: { type: 'site', baseUrl: 'https://new.example', configurations } },
  triggeredBy: 'manual',
});

test('an integration that is not saved: auth runs without events, state and platform', async (t) => {
  const w = harness({
    action_auth: action('auth', async ({ integration, config, state, configOf, goOn }) => {
      await state.set({ a: 1 });
      goOn();
      return { integration, days: config['days'], own: await configOf('auth'), state: await state.get() };
    }),
  });
  t.deepEqual(await w.run('auth', unsaved({ auth: { days: 4 } })), {
    kind: 'complete',
    result: {
      integration: { id: null, name: null, baseUrl: 'https://new.example', type: 'site' },
      days: 4,
      own: { days: 4 },
      state: {},
    },
  });
  t.deepEqual([w.entries, w.space.values(), w.bus.published, w.platform.asked], [[], {}, [], 0]);
});

test('an integration that is not saved: pull and push are refused, so is what is missing or not valid', async (t) => {
  const w = harness({ action_pull: action('pull'), action_push: action('push'), action_auth: action('auth') });
  t.is(wordOf(await w.run('pull', unsaved({ pull: {} }))), 'refused integration_unsaved');
  t.is(wordOf(await w.run('push', unsaved({ push: {} }))), 'refused integration_unsaved');
  t.is(wordOf(await w.run('other', unsaved({}))), 'refused action_unknown');
  t.is(wordOf(await w.run('auth', unsaved({}))), 'refused action_config_missing');
  t.is(wordOf(await w.run('auth', unsaved({ auth: { days: 'x' } }))), 'refused action_config_invalid');
});

test('skipping for an invalid configuration is told once an hour, integration and action, over all processes', async (t) => {
  const first = harness(handlers('pull'));
  const second = harness(handlers('pull'), { clock: first.clock, space: first.space, seed: 2 });
  for (const w of [first, second]) w.platform.configs = { work: { days: ['canary'] } };
  await first.run('work');
  await second.run('work');
  await first.clock.advance(0);
  t.like(first.entries[0], {
    kind: 'CustomLog',
    payload: { level: 30, data: { problems: [{ path: 'days' }] } },
  });
  t.deepEqual([first.entries.length, second.entries.length], [1, 0]);
  t.false(JSON.stringify(first.entries).includes('canary'));
  await first.clock.advance(3_600_001);
  await second.run('work');
  await first.clock.advance(0);
  t.is(second.entries.length, 1);
  t.deepEqual(Object.keys(first.space.values()), [`integration_state.${park}.work.skip-invalid-config-warning`]);
});

test('without the store the skip is quiet, and takes no time', async (t) => {
  const w = harness(handlers('pull'));
  w.platform.configs = { work: { days: 'x' } };
  w.space.hung = true;
  t.is(wordOf(await w.run('work')), 'skipped invalid_configuration');
});
