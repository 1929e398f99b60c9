import test from 'ava';
import { manualClock } from '../test/manual-clock.ts';
import { rowsOf, startSiteHarness } from '../test/site.ts';

test('the log is read over HTTP, from where one likes, and cleared', async (t) => {
  const { call, get } = await startSiteHarness(t);
  for (let n = 0; n < 3; n += 1) await get('status/');
  const read = async (query = '') => (await get(`/__control/log${query}`)).json as { entries: { seq: number }[] };
  t.deepEqual(
    (await read()).entries.map(({ seq }) => seq),
    [1, 2, 3],
  );
  t.deepEqual(
    (await read('?since=1&limit=1')).entries.map(({ seq }) => seq),
    [2],
  );
  await call('DELETE', '/__control/log');
  t.deepEqual((await read()).entries, []);
});

test('the state is dumped over HTTP, and the dump makes another site the same', async (t) => {
  const [one, two] = [await startSiteHarness(t), await startSiteHarness(t, { seed: 2 })];
  one.site.seed({
    types: [{ value: 'a' }],
    patrols: [{ types: ['a'] }],
    choices: [{ field: 'f', value: 'v' }],
    subjects: [{ id: 's', name: 'S' }],
    groups: [{ id: 'g', name: 'G', subjects: ['s'] }],
    form: { json: 1 },
    switches: { type_address: 'id' },
  });
  const { json } = await one.get('/__control/state');
  t.deepEqual(json, one.site.state() as never);
  t.is((await two.call('PUT', '/__control/state', json)).status, 200);
  t.deepEqual(two.site.state(), one.site.state());
});

test('a seed replaces what it names and leaves the rest; switches are changed one by one', async (t) => {
  const { site, call } = await startSiteHarness(t);
  await call('PUT', '/__control/state', {
    choices: [{ field: 'f', value: 'v' }],
    switches: { equal_keys: 'by_id' },
  });
  await call('PUT', '/__control/state', { subjects: [{ name: 'S' }], switches: { type_address: 'id' } });
  const state = site.state();
  t.like(state, { switches: { equal_keys: 'by_id', type_address: 'id' } });
  t.like(state.choices[0], { model: 'activity.event', display: 'v', is_active: true });
  t.like(state.subjects[0], { subject_subtype: 'ranger', additional: {} });
  await call('PUT', '/__control/state', { choices: [] });
  t.is(site.state().choices.length, 0);
  t.is(site.state().subjects.length, 1);
});

for (const [name, body] of [
  ['an unknown table', { things: [] }],
  ['a table that is no list', { choices: {} }],
  ['a table of texts', { choices: ['a'] }],
  ['an unknown switch', { switches: { nothing: true } }],
  ['a switch with a wrong value', { switches: { type_address: 'name' } }],
  ['switches that are no object', { switches: [] }],
] as const)
  test(`a seed with ${name} is refused with a sentence`, async (t) => {
    const { site, call } = await startSiteHarness(t);
    const before = site.state();
    const reply = await call('PUT', '/__control/state', body);
    t.is(reply.status, 400);
    t.is(typeof reply.json?.['error'], 'string');
    t.deepEqual(site.state(), before);
  });

test('switches are read and changed over HTTP; wrong ones are refused', async (t) => {
  const { site, call, get } = await startSiteHarness(t);
  t.like((await get('/__control/switches')).json, { patrol_schemas: 'on', latency_ms: 0 });
  t.is((await call('POST', '/__control/switches', { patrol_schemas: 'off', latency_ms: 1 })).status, 200);
  t.like(site.state().switches, { patrol_schemas: 'off', latency_ms: 1 });
  for (const bad of [{ nothing: 1 }, { patrol_schemas: 1 }, { latency_ms: -1 }, { failing_row: 1 }, []])
    t.is((await call('POST', '/__control/switches', bad)).status, 400, JSON.stringify(bad));
});

test('faults are set, listed and cleared over HTTP; none touches the control API', async (t) => {
  const { call, get } = await startSiteHarness(t);
  const set = await call('POST', '/__control/faults', { fault: 'status', status: 503, path: 'choices/*', skip: 0 });
  t.is(set.status, 201);
  t.is((await get('choices/')).status, 503);
  const listed = JSON.parse((await get('/__control/faults')).text) as object[];
  t.like(listed[0], { id: set.json?.['id'], used: 1, path: 'choices/*' });
  await call('DELETE', `/__control/faults/${String(set.json?.['id'])}`);
  t.is((await get('choices/')).status, 200);
  await call('POST', '/__control/faults', { fault: 'hang' });
  await call('DELETE', '/__control/faults');
  t.is((await get('choices/')).status, 200);
  for (const bad of [
    { fault: 'explode' },
    { fault: 'hang', path: 1 },
    { fault: 'hang', skip: -1 },
    { fault: 'hang', method: [] },
  ])
    t.is((await call('POST', '/__control/faults', bad)).status, 400, JSON.stringify(bad));
});

test('tokens are added, given and refused permissions, and deleted over HTTP', async (t) => {
  const { call, get } = await startSiteHarness(t);
  await call('POST', '/__control/tokens', { token: 'new', permissions: ['choices.view_choice'] });
  const status = async () => (await get('choices/', { token: 'new' })).status;
  t.is(await status(), 200);
  const permit = (kind: string) =>
    call('POST', `/__control/tokens/${kind}`, { token: 'new', permission: 'choices.view_choice' });
  await permit('revoke');
  t.is(await status(), 403);
  await permit('grant');
  t.is(await status(), 200);
  await call('DELETE', '/__control/tokens/new');
  t.is(await status(), 401);
  t.is((await permit('grant')).status, 404);
  t.is((await call('POST', '/__control/tokens', {})).status, 400);
  t.is((await call('POST', '/__control/tokens/grant', { token: 'new' })).status, 400);
});

test('what is no control is 404, and what is no object 400', async (t) => {
  const { call, get } = await startSiteHarness(t);
  t.is((await get('/__control/nothing')).status, 404);
  t.is((await call('PUT', '/__control/state', undefined, { raw: '{' })).status, 400);
  t.is((await call('PUT', '/__control/state', [])).status, 400);
});

test('a site that is down refuses connections, and comes back with what it had', async (t) => {
  const { site, call, get } = await startSiteHarness(t);
  await call('POST', 'activity/patrols/types/', { value: 'a', display: 'A' });
  await site.goDown();
  t.is((await get('status/')).status, null);
  await site.comeUp();
  t.is(rowsOf(await get('activity/patrols/types/')).length, 1);
});

test('a site is taken away for a while over HTTP', async (t) => {
  const clock = manualClock();
  const { call, get } = await startSiteHarness(t, { clock });
  t.is((await call('POST', '/__control/down', { ms: 3_000 })).status, 200);
  t.is(await clock.toNextTimer(), 20);
  t.is((await get('status/')).status, null);
  t.is(await clock.toNextTimer(), 3_000);
  while ((await get('status/')).status === null);
  t.is((await get('status/')).status, 200);
});

test('a site that is closed while it is away stays away', async (t) => {
  const clock = manualClock();
  const { site, call, get } = await startSiteHarness(t, { clock });
  await call('POST', '/__control/down', {});
  await clock.toNextTimer();
  await site.close();
  t.is(await clock.toNextTimer(), 1_000);
  t.is((await get('status/')).status, null);
});
