import test from 'ava';
import { manualClock } from '../test/manual-clock.ts';
import { startSiteHarness } from '../test/site.ts';
import { siteFaults } from './faults.ts';

const types = 'activity/patrols/types/';
const foot = { value: 'foot', display: 'Foot' };

test('a throttled site lets a token ask so often a minute, says when the oldest request is a minute old, and does nothing', async (t) => {
  const clock = manualClock();
  const { site, call, get } = await startSiteHarness(t, { clock, switches: { throttle_per_minute: 3 } });
  for (let n = 0; n < 3; n += 1) t.is((await get(types)).status, 200);
  clock.advance(20_000);
  const refused = await call('POST', types, foot);
  t.is(refused.status, 429);
  t.is(refused.headers['retry-after'], '40');
  t.is((await get(types, { token: site.ordinaryToken })).status, 200);
  t.deepEqual(site.state().types, []);
  clock.advance(40_000);
  t.is((await call('POST', types, foot)).status, 201);
});

test('a late write is done after the gateway has given up on it', async (t) => {
  const clock = manualClock();
  const { site, call } = await startSiteHarness(t, { clock });
  site.faults.set({ ...siteFaults.late(5_000), path: types, method: 'POST', count: 1 });
  t.is((await call('POST', types, foot)).status, 504);
  clock.advance(4_999);
  t.deepEqual(site.state().types, []);
  clock.advance(1);
  t.is(site.state().types.length, 1);
});

test('a site that is away refuses connections until its clock says that it is back', async (t) => {
  const clock = manualClock();
  const { site, get } = await startSiteHarness(t, { clock });
  await site.away(60_000);
  clock.advance(59_000);
  t.is((await get(types)).status, null);
  clock.advance(1_000);
  while ((await get(types)).status !== 200);
  t.pass();
});

test('what a person changes of a record is there with the next request', async (t) => {
  const { site, get } = await startSiteHarness(t, { state: { subjects: [{ name: 'One' }] } });
  const { id = '' } = site.state().subjects[0] ?? {};
  site.edit('subjects', id, { additional: { phone: '1' } });
  t.like((await get('subjects/')).json, { data: [{ name: 'One', additional: { phone: '1' } }] });
});

test('integers beyond 2^53 come back with every digit', async (t) => {
  const { call, get } = await startSiteHarness(t);
  const raw = '{"name":"One","subject_subtype":"ranger","additional":{"phone":9007199254740993}}';
  t.is(
    (await call('POST', 'subjects/', undefined, { raw, headers: { 'content-type': 'application/json' } })).status,
    201,
  );
  t.regex((await get('subjects/')).text, /"phone":9007199254740993/);
});

test('what a token may not view is refused to it, or, by an older site, an empty list without a page', async (t) => {
  const { site, get } = await startSiteHarness(t, {
    state: { types: [{ value: 'foot' }], patrols: [{ types: ['foot'] }] },
  });
  site.tokens.revoke(site.ordinaryToken, 'activity.view_patrol');
  const token = site.ordinaryToken;
  t.is((await get('activity/patrols/', { token })).status, 403);
  site.set({ missing_permission: 'empty_list', user_permissions: 'names' });
  t.deepEqual((await get('activity/patrols/', { token })).data, []);
  t.like((await get('activity/patrols/')).data, { count: 1 });
  const { permissions } = (await get('user/me', { token })).data as { permissions: string[] };
  t.false(permissions.includes('activity.view_patrol'));
});

test('a proxy may compress every answer', async (t) => {
  const { site } = await startSiteHarness(t, { switches: { compress: true } });
  const answer = await fetch(`${site.url}/api/v1.0/status/`);
  t.is(answer.headers.get('content-encoding'), 'gzip');
  t.like(await answer.json(), { status: { code: 200 } });
});
