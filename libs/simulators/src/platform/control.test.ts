import test from 'ava';
import { bodyOf, first, observation, startHarness, until, type Harness } from '../test/harness.ts';

const control = (harness: Harness, method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) =>
  harness.call(method, `/_sim/${path}`, body === undefined ? {} : { body: JSON.stringify(body) });

test('switches are set, listed and cleared over HTTP', async (t) => {
  const harness = await startHarness(t);
  const set = await control(harness, 'POST', 'switches', { fault: 'status', status: 503, endpoint: 'observations' });
  t.is(set.status, 201);
  const { id } = bodyOf<{ id: string }>(set);
  t.is((await harness.post('/v2/observations/', [observation()])).status, 503);
  t.like(bodyOf<object[]>(await control(harness, 'GET', 'switches'))[0], { id, used: 1, status: 503 });
  await control(harness, 'DELETE', `switches/${id}`);
  t.is((await harness.post('/v2/observations/', [observation()])).status, 200);
  await control(harness, 'POST', 'switches', { fault: 'hang' });
  await control(harness, 'DELETE', 'switches');
  t.is((await harness.post('/v2/observations/', [observation()])).status, 200);
});

test('a wrong switch is refused with a sentence', async (t) => {
  const reply = await control(await startHarness(t), 'POST', 'switches', { fault: 'explode' });
  t.is(reply.status, 400);
  t.regex(bodyOf<{ error: string }>(reply).error, /explode/);
});

test('no switch touches the control API', async (t) => {
  const harness = await startHarness(t);
  harness.platform.switches.set({ fault: 'hang' });
  t.is((await control(harness, 'GET', 'stats')).status, 200);
});

test('integrations are added, changed, given new keys and deleted over HTTP', async (t) => {
  const harness = await startHarness(t);
  await control(harness, 'POST', 'integrations', { id: 'new', api_key: 'new-key', webhook_data: {} });
  t.is((await harness.post('/v2/observations/', [observation()], 'new-key')).status, 200);
  await control(harness, 'POST', 'integrations/new', { enabled: false });
  t.like(harness.platform.integrations.get('new'), { enabled: false, api_key: 'new-key' });
  const { api_key } = bodyOf<{ api_key: string }>(await control(harness, 'POST', 'integrations/new/rotate-key'));
  t.is((await harness.post('/v2/observations/', [observation()], 'new-key')).status, 401);
  t.is((await harness.post('/v2/observations/', [observation()], api_key)).status, 200);
  await control(harness, 'DELETE', 'integrations/new');
  t.is((await harness.post('/v2/observations/', [observation()], api_key)).status, 400);
  t.is((await control(harness, 'DELETE', 'integrations/new')).status, 404);
  t.is((await control(harness, 'POST', 'integrations/new/rotate-key')).status, 404);
  t.is((await control(harness, 'POST', 'integrations', { name: 'x' })).status, 400);
});

test('tokens can be made stale over HTTP', async (t) => {
  const harness = await startHarness(t);
  const headers = await harness.bearer();
  await control(harness, 'POST', 'tokens/expire');
  t.is((await harness.call('GET', `/v2/integrations/${first}/`, { headers })).status, 302);
});

test('counts show calls and answers by endpoint', async (t) => {
  const harness = await startHarness(t);
  await harness.askToken();
  await harness.askToken({ client_secret: 'wrong' });
  await harness.post('/v2/observations/', [observation()]);
  const stats = bodyOf<Record<string, unknown>>(await control(harness, 'GET', 'stats'));
  t.deepEqual(stats['calls'], { token: 2, observations: 1 });
  t.deepEqual(stats['answers'], { 'token 200': 1, 'token 401': 1, 'observations 200': 1 });
  t.like(stats['integrations'], { [first]: { observation: { arrived: 1, stored: 1 } } });
});

test('the platform goes away for a while on request and comes back by itself', async (t) => {
  const harness = await startHarness(t);
  await control(harness, 'POST', 'down', { ms: 5_000 });
  await harness.clock.toNextTimer();
  await until(() => harness.clock.pending() > 0);
  t.is((await control(harness, 'GET', 'stats')).status, null);
  t.is(await harness.clock.toNextTimer(), 5_000);
  let back = await control(harness, 'GET', 'stats');
  while (back.status === null) back = await control(harness, 'GET', 'stats');
  t.is(back.status, 200);
});

test('a control call that is no object, or that does not exist, is refused', async (t) => {
  const harness = await startHarness(t);
  t.is((await control(harness, 'POST', 'switches', [])).status, 400);
  t.is((await harness.call('POST', '/_sim/switches', { body: '{' })).status, 400);
  t.is((await control(harness, 'GET', 'nothing')).status, 404);
});
