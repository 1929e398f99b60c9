import { runActionCommandSchema } from '@ranger-relay/contracts';
import test from 'ava';
import { action, handlers, scheduled } from '../test/actions.ts';
import { envelope, httpHarness } from '../test/http-harness.ts';
import { park } from '../test/harness.ts';

const open = (options: object = {}) => {
  const w = httpHarness({ ...handlers('generic'), action_pull: action('pull') }, options);
  w.platform.configs = { work: {}, pull: scheduled };
  return w;
};
const body = { integration_id: park, action_id: 'work' };

for (const slash of ['', '/'])
  test(`every path answers ${slash ? 'with' : 'without'} the last slash`, async (t) => {
    const w = open();
    t.like(await w.call(`/v1/actions${slash}`), { status: 200, json: ['auth', 'pull', 'work'] });
    t.is((await w.post(`/v1/actions/execute${slash}`, body)).status, 200);
    t.is((await w.post(`/push-data${slash}`, {})).status, 200);
    t.is((await w.post(`/config-events${slash}`, {})).status, 200);
    t.is((await w.call(`/openapi.json${slash}`)).status, 200);
    t.is((await w.post('/', envelope(body))).status, 200);
  });

test('the health check is open and touches nothing', async (t) => {
  const w = open();
  w.space.hung = true;
  w.platform.down = true;
  w.bus.away = true;
  const answer = await w.hono.request('/');
  t.is(answer.status, 200);
  t.deepEqual(await answer.json(), { status: 'healthy' });
  t.deepEqual([w.space.calls, w.platform.asked], [0, 0]);
});

test('an unknown path is 404', async (t) => {
  const w = open();
  t.is((await w.call('/v2/actions')).status, 404);
  t.is((await w.call('/push-data')).status, 404);
});

test('in the background a call is answered once its command is in the topic', async (t) => {
  const w = open();
  const answer = await w.post('/v1/actions/execute', {
    ...body,
    run_in_background: true,
    config_overrides: { days: 2 },
  });
  t.is(answer.status, 200);
  t.is(typeof (answer.json as { message: unknown }).message, 'string');
  t.like(runActionCommandSchema.parse(w.commands()[0]), {
    ...body,
    config_overrides: { days: 2 },
    triggered_by: 'manual',
  });
  t.deepEqual(w.kinds(), []);
});

test('in the background a call is 503 while the bus is down, 422 for an unknown action', async (t) => {
  const w = open();
  t.is((await w.post('/v1/actions/execute', { ...body, action_id: 'none', run_in_background: true })).status, 422);
  w.bus.away = true;
  t.is((await w.post('/v1/actions/execute', { ...body, run_in_background: true })).status, 503);
});

test('with messages in the background POST / only puts the command in the topic, under the id of the message', async (t) => {
  const w = open({ inBackground: true });
  t.like(await w.post('/', envelope({ ...body, triggered_by: 'manual' })), { status: 200, json: {} });
  t.like(w.commands()[0] ?? {}, { ...body, triggered_by: 'manual' });
  await w.post('/', envelope({ ...body, event_id: 'e', payload: { self_triggered: true } }));
  t.like(w.commands()[1] ?? {}, { event_id: 'e', payload: { self_triggered: true } });
  await w.post('/', envelope(body));
  await w.post('/', envelope(body, {}, { subscription: 'another' }));
  const ids = w.commands().map(({ event_id }) => event_id);
  t.is(ids[2], ids[0], 'the same message, redelivered');
  t.not(ids[3], ids[0], 'a message of another subscription with the same id');
  t.deepEqual(w.kinds(), []);
});

test('with messages in the background POST / is 503 while the bus is down, and keeps what no action takes', async (t) => {
  const w = open({ inBackground: true });
  t.is((await w.post('/', envelope({ ...body, action_id: 'none' }))).status, 200);
  t.like(w.letters()[0], { kind: 'command', reason: 'action_unknown', integration_id: park });
  w.bus.away = true;
  t.is((await w.post('/', envelope(body))).status, 503);
});

test('dead letters are counted', async (t) => {
  const w = open();
  await w.post('/', '{');
  const metrics = await w.context.metrics.render();
  t.regex(metrics, /relay_dead_letters_total\{kind="push_envelope",reason="request_malformed"\} 1/);
});
