import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { z } from 'zod';
import { ActionFailure } from '../index.ts';
import { action, gate, scheduled, type Handler } from '../test/actions.ts';
import { envelope, httpHarness, type Answer, type HttpHarness } from '../test/http-harness.ts';
import { park } from '../test/harness.ts';

const data = z.object({ event_type: z.string(), payload: z.object({ text: z.string() }) });
const open = (run: Handler = () => ({ fine: true })): HttpHarness => {
  const w = httpHarness({
    action_pull: action('pull', run),
    action_work: action('generic', run),
    action_text: action('push', run, { data }),
  });
  w.platform.configs = { pull: scheduled, work: {}, text: {} };
  return w;
};

const execute = (w: HttpHarness, action_id: string, more: object = {}): Promise<Answer> =>
  w.post('/v1/actions/execute', { integration_id: park, action_id, ...more });
const command = (w: HttpHarness, action_id: string, more: object = {}): Promise<Answer> =>
  w.post('/', envelope({ integration_id: park, action_id, ...more }));
const text = { event_type: 'TextLong', payload: { text: 'x' } };
const push = (w: HttpHarness, value: unknown = text, message: object = {}): Promise<Answer> =>
  w.post('/push-data', envelope(value, { attributes: { destination_id: park }, ...message }));

const reasons = (w: HttpHarness): string[] => w.letters().map(({ reason }) => reason);
const auto = { triggered_by: 'auto' };

test('complete: the result, an empty object for a command, the result for pushed data', async (t) => {
  const w = open();
  t.like(await execute(w, 'work'), { status: 200, json: { fine: true } });
  t.like(await command(w, 'work'), { status: 200, json: {} });
  t.like(await push(w, text, { messageId: 'm2' }), { status: 200, json: { fine: true } });
  t.deepEqual(w.letters(), []);
});

test('a handler without a result answers null', async (t) => {
  const w = open(() => undefined);
  t.like(await execute(w, 'work'), { status: 200, json: null });
  t.like(await push(w), { status: 200, json: null });
});

const skips: [string, (w: HttpHarness) => unknown][] = [
  ['integration_disabled', (w) => (w.platform.enabled = false)],
  ['no_configuration', (w) => (w.platform.configs = {})],
  ['invalid_configuration', (w) => (w.platform.configs = { pull: { days: 'x' } })],
  ['run_on_schedule_disabled', (w) => (w.platform.configs = { pull: {} })],
];
for (const [reason, prepare] of skips)
  test(`scheduled, ${reason}: skipped with 200, no dead letter`, async (t) => {
    const w = open();
    prepare(w);
    t.like(await execute(w, 'pull', auto), { status: 200, json: { skipped: true, reason } });
    t.like(await command(w, 'pull'), { status: 200, json: {} });
    t.deepEqual(w.letters(), []);
  });

test('already running: a tick and a manual run are skipped with 200, a redelivery comes again', async (t) => {
  const w = open(gate().run);
  void w.start('pull');
  await w.clock.advance(0);
  const json = { skipped: true, reason: 'already_running' };
  t.like(await execute(w, 'pull', auto), { status: 200, json });
  t.like(await execute(w, 'pull'), { status: 200, json });
  t.like(await command(w, 'pull'), { status: 200, json: {} });
  const again = envelope({ integration_id: park, action_id: 'pull' }, { messageId: 'm2' }, { deliveryAttempt: 2 });
  t.is((await w.post('/', again)).status, 500);
});

test('disabled, not scheduled: 409; a command is skipped; pushed data goes to the dead letters', async (t) => {
  const w = open();
  w.platform.enabled = false;
  t.is((await execute(w, 'work')).status, 409);
  t.like(await command(w, 'work'), { status: 200, json: {} });
  t.deepEqual(reasons(w), []);
  t.is((await push(w, text, { messageId: 'm2' })).status, 200);
  t.deepEqual(reasons(w), ['integration_disabled']);
  t.like(w.letters()[0], { kind: 'push_message', integration_id: park, attempts: 1 });
});

test('integration unknown: 404; pushes 200 and a dead letter', async (t) => {
  const w = open();
  w.platform.known = false;
  t.is((await execute(w, 'work')).status, 404);
  t.is((await command(w, 'work')).status, 200);
  t.is((await push(w, text, { messageId: 'm2' })).status, 200);
  t.deepEqual(reasons(w), ['integration_unknown', 'integration_unknown']);
});

test('platform down: 500 everywhere, no dead letter', async (t) => {
  const w = open();
  w.platform.down = true;
  for (const answer of [await execute(w, 'work'), await command(w, 'work'), await push(w, text, { messageId: 'm2' })])
    t.is(answer.status, 500);
  t.deepEqual(reasons(w), []);
});

test('state store needed and down: 500', async (t) => {
  const w = open();
  w.space.away = true;
  t.is((await execute(w, 'pull')).status, 500);
  t.is((await command(w, 'pull')).status, 500);
});

test('bus needed and down: 500, and the message is not done with', async (t) => {
  const w = open();
  w.bus.away = true;
  t.is((await command(w, 'nothing')).status, 500);
  t.is((await w.post('/', '{')).status, 500);
  w.bus.away = false;
  t.is((await command(w, 'nothing')).status, 200);
  t.deepEqual(reasons(w), ['action_unknown']);
});

test('unknown action or data type, data that does not fit: 422; pushes 200 and a dead letter', async (t) => {
  const w = open();
  t.is((await execute(w, 'nothing')).status, 422);
  t.is((await execute(w, 'text')).status, 422);
  t.is((await command(w, 'nothing')).status, 200);
  t.is((await push(w, { event_type: 'Other' }, { messageId: 'm2' })).status, 200);
  t.is((await push(w, { event_type: 'TextX', payload: {} }, { messageId: 'm3' })).status, 200);
  t.deepEqual(reasons(w), ['action_unknown', 'data_model_unknown', 'action_data_invalid']);
});

test('configuration missing or invalid, not scheduled: 404 or 422; pushes 200 and a dead letter', async (t) => {
  const w = open();
  w.platform.configs = {};
  t.is((await execute(w, 'work')).status, 404);
  t.is((await push(w)).status, 200);
  w.platform.configs = { work: { days: 'x' }, text: { days: 'x' } };
  t.is((await execute(w, 'work')).status, 422);
  t.is((await command(w, 'work', { event_id: 'e2' })).status, 200);
  t.is((await push(w, text, { messageId: 'm2' })).status, 200);
  t.deepEqual(reasons(w), ['action_config_missing', 'action_config_invalid', 'action_config_invalid']);
});

test('handler failed for a while: 500 everywhere', async (t) => {
  const w = open(() => Promise.reject(new RelayError('http_timeout', { details: { target: 'GET h' } })));
  for (const answer of [await execute(w, 'work'), await command(w, 'work'), await push(w, text, { messageId: 'm2' })]) {
    t.is(answer.status, 500);
    t.like(answer.json, { detail: { integration_id: park, error_type: 'timeout' } });
  }
  t.deepEqual(reasons(w), []);
});

test('handler failed for good: 500; pushes 200 with the error and a dead letter', async (t) => {
  const w = open(() => Promise.reject(new Error('broken')));
  t.is((await execute(w, 'work')).status, 500);
  for (const answer of [await command(w, 'work'), await push(w, text, { messageId: 'm2' })]) {
    t.is(answer.status, 200);
    t.like(answer.json, { detail: { error: 'The action failed — broken', error_type: null } });
  }
  t.deepEqual(reasons(w), ['action_failed', 'action_failed']);
  t.deepEqual(
    w.letters().map(({ kind }) => kind),
    ['command', 'push_message'],
  );
});

test('a handler may answer for what failed for good, and keep its dead letters itself', async (t) => {
  const failure = new ActionFailure('one of two', { transient: false, result: { failed: [1] }, deadLettered: true });
  const w = open(() => Promise.reject(failure));
  t.like(await push(w), { status: 200, json: { failed: [1] } });
  t.deepEqual(reasons(w), []);
  t.is((await execute(w, 'work')).status, 500);
});

test('over time: 504', async (t) => {
  const w = open(gate().run);
  const asked = w.hono.request('/v1/actions/execute', {
    method: 'POST',
    headers: { authorization: 'Bearer second-token' },
    body: JSON.stringify({ integration_id: park, action_id: 'work' }),
  });
  await w.clock.advance(540_000);
  const answer = await asked;
  t.is(answer.status, 504);
  t.like(await answer.json(), { detail: { error_type: 'timeout' } });
});

test('pushes over time: 504, no dead letter, and they are not done with', async (t) => {
  let runs = 0;
  const w = open(({ signal }) => {
    runs += 1;
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('given up'))));
  });
  for (const deliver of [() => command(w, 'work', { event_id: 'e1' }), () => push(w, text, { messageId: 'm2' })])
    for (let delivery = 0; delivery < 2; delivery += 1) {
      const asked = deliver();
      await w.clock.advance(540_000);
      const { status, json } = await asked;
      t.is(status, 504);
      t.like(json, { detail: { error_type: 'timeout' } });
    }
  t.is(runs, 4);
  t.deepEqual(reasons(w), []);
});

test('too many runs: 503 with Retry-After', async (t) => {
  const actions = { action_work: action('generic', gate().run), action_text: action('push', () => ({}), { data }) };
  const w = httpHarness(actions, {}, { limits: { total: 1, perIntegration: 1 } });
  w.platform.configs = { work: {}, text: {} };
  void w.start('work');
  await w.clock.advance(0);
  for (const answer of [await execute(w, 'work'), await command(w, 'work'), await push(w, text, { messageId: 'm2' })]) {
    t.is(answer.status, 503);
    t.is(answer.headers.get('retry-after'), '5');
  }
});

test('a message id or event id that was done within an hour: 200, and nothing runs', async (t) => {
  let runs = 0;
  const w = open(() => (runs += 1));
  await push(w);
  t.like(await push(w), { status: 200, json: null });
  await command(w, 'work', { event_id: 'e' });
  const again = envelope({ integration_id: park, action_id: 'work', event_id: 'e' }, { messageId: 'another' });
  t.like(await w.post('/', again), { status: 200, json: {} });
  t.is(runs, 2);
});

test('an event that is meant for two destinations reaches both, also without message ids', async (t) => {
  let runs = 0;
  const w = open(() => (runs += 1));
  for (const destination_id of [park, 'other-park', park])
    await push(w, { ...text, event_id: 'e' }, { messageId: undefined, attributes: { destination_id } });
  t.is(runs, 2);
});

test('who asked is read from the body, then from the attribute; a command without it is scheduled, a call is not', async (t) => {
  const w = open(({ triggeredBy }) => ({ triggeredBy }));
  w.platform.configs = { pull: {} };
  t.like(await execute(w, 'pull'), { json: { triggeredBy: 'manual' } });
  t.like(await execute(w, 'pull', { triggered_by: ' AUTO ' }), { json: { skipped: true } });
  await command(w, 'pull');
  t.deepEqual(w.kinds(), ['Started', 'Complete']);
  await command(w, 'pull', { triggered_by: 'Manual', event_id: 'e2' });
  const attributes = { triggered_by: 'manual' };
  await w.post('/', envelope({ integration_id: park, action_id: 'pull' }, { attributes, messageId: 'm9' }));
  t.is(w.kinds().filter((kind) => kind === 'Complete').length, 3);
});

test('overrides win over what is stored', async (t) => {
  const w = open(({ config }) => config);
  w.platform.configs = { work: { days: 1 } };
  t.like(await execute(w, 'work', { config_overrides: { days: 9 } }), { json: { days: 9 } });
});

test('an integration that is not saved runs in the foreground', async (t) => {
  const w = open(({ integration, config }) => ({ url: integration.baseUrl, days: config['days'] }));
  const integration_state = {
    type_value: 'site',
    base_url: 'https://new.example',
    configurations: [{ action_value: 'work', data: { days: 4 } }],
  };
  t.like(await execute(w, 'work', { integration_id: null, integration_state }), {
    status: 200,
    json: { url: 'https://new.example', days: 4 },
  });
  t.is((await execute(w, 'pull', { integration_id: null, integration_state })).status, 422);
  const hidden = { integration_id: null, integration_state, run_in_background: true };
  t.is((await execute(w, 'work', hidden)).status, 422);
  t.deepEqual([w.entries, w.bus.published], [[], []]);
});
