import test from 'ava';
import { formPath, newChoice, startSiteHarness } from '../test/site.ts';

const types = 'activity/patrols/types/';

test('without a known token everything but the status is 401', async (t) => {
  const { site, call, get } = await startSiteHarness(t);
  for (const token of [null, 'stranger', '']) {
    const reply = await get('user/me', { token });
    t.is(reply.status, 401);
    t.like(reply.json, { status: { code: 401, message: 'Unauthorized' } });
    t.is((await call('POST', types, { value: 'a', display: 'A' }, { token })).status, 401);
    t.is((await get('status/', { token })).status, 200);
  }
  t.is((await get('user/me', { token: null, headers: { authorization: `Token ${site.token}` } })).status, 401);
  t.deepEqual(site.state().types, []);
});

test('the token probe says who it is, with and without the last slash', async (t) => {
  const { site, get } = await startSiteHarness(t);
  t.like((await get('user/me')).data, { username: 'superuser', is_superuser: true });
  t.like((await get('user/me/', { token: site.ordinaryToken })).data, { username: 'ordinary', is_superuser: false });
});

const group = (ids: readonly string[]): string => `subjectgroup/${ids[1]}/subjects/`;

/** For each permission a call that needs it; the ids are of the default and the roster group. */
const needing: readonly (readonly [
  permission: string,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string | ((groups: readonly string[]) => string),
  body?: unknown,
])[] = [
  ['activity.add_patroltype', 'POST', types, { value: 'new', display: 'New' }],
  ['activity.change_patroltype', 'PATCH', `${types}foot/`, { display: 'Walk' }],
  ['activity.delete_patroltype', 'DELETE', `${types}foot/`],
  ['activity.view_patrol', 'GET', 'activity/patrols/'],
  ['activity.view_patrol', 'GET', 'activity/patrols/config/default/'],
  ['activity.view_patrol', 'GET', 'activity/patrols/config/default/resolved/'],
  ['activity.change_segmenttype', 'PUT', formPath, { schema: {} }],
  ['choices.view_choice', 'GET', 'choices/'],
  ['choices.add_choice', 'POST', 'choices/', newChoice('f', 'new')],
  ['choices.change_choice', 'PATCH', 'choices/c1/', { display: 'New' }],
  ['choices.delete_choice', 'DELETE', 'choices/c1/'],
  ['observations.view_subject', 'GET', 'subjects/'],
  ['observations.add_subject', 'POST', 'subjects/', { name: 'New', subject_subtype: 'ranger' }],
  ['observations.change_subject', 'PATCH', 'subject/s1/', { name: 'New' }],
  ['observations.delete_subject', 'DELETE', 'subject/s1/'],
  ['observations.change_subjectgroup', 'POST', group, []],
  ['observations.change_subjectgroup', 'DELETE', group, []],
];

for (const [permission, method, path, body] of needing)
  for (const who of ['token', 'ordinaryToken'] as const)
    test(`${method} ${typeof path === 'string' ? path : 'members'} is 403 without ${permission}, for ${who}`, async (t) => {
      const { site, call } = await startSiteHarness(t);
      site.seed({
        types: [{ value: 'foot' }],
        choices: [{ id: 'c1', field: 'f', value: 'v' }],
        subjects: [{ id: 's1', name: 'S' }],
      });
      const ids = site.state().groups.map(({ id }) => id);
      const before = site.state();
      site.tokens.revoke(site[who], permission);
      const where = typeof path === 'string' ? path : path(ids);
      const reply = await call(method, where, body, { token: site[who] });
      t.is(reply.status, 403);
      t.like(reply.json, { status: { code: 403, message: 'Forbidden' } });
      t.deepEqual({ ...site.state(), tokens: [] }, { ...before, tokens: [] });
      site.tokens.grant(site[who], permission);
      t.not((await call(method, where, body, { token: site[who] })).status, 403);
    });

test('either of two permissions lets a token view types and the form', async (t) => {
  const { site, get } = await startSiteHarness(t, { switches: { form_permission: 'types' } });
  const seen = async () => [(await get(types)).status, (await get(formPath)).status];
  site.tokens.revoke(site.token, 'activity.view_patroltype');
  t.deepEqual(await seen(), [200, 200]);
  site.tokens.revoke(site.token, 'activity.view_patrol');
  t.deepEqual(await seen(), [403, 403]);
});

test('the form needs permissions of its own', async (t) => {
  const { site, call, get } = await startSiteHarness(t);
  site.tokens.revoke(site.token, 'activity.change_patroltype');
  t.is((await call('PUT', formPath, { schema: {} })).status, 400);
  site.tokens.revoke(site.token, 'activity.change_segmenttype');
  t.is((await call('PUT', formPath, { schema: {} })).status, 403);
  site.tokens.revoke(site.token, 'activity.view_segmenttype');
  t.is((await get(formPath)).status, 403);
});

test('the user shows permissions by model, and never those for subjects and observations', async (t) => {
  const { site, get } = await startSiteHarness(t, {
    state: { categories: [{ id: 'c', value: 'fires', display: 'Fires' }] },
  });
  const shown = async (token: string) =>
    ((await get('user/me', { token })).data as { permissions?: Record<string, readonly string[]> }).permissions;
  site.tokens.put({ token: 'few', permissions: ['activity.view_patrol', 'observations.view_subject'] });
  t.deepEqual(await shown('few'), { patrol: ['view'] });
  site.tokens.revoke(site.token, 'activity.add_patroltype');
  const all = ['add', 'change', 'delete', 'view'];
  t.like(await shown(site.token), { patrol: all, patroltype: all.slice(1), segmenttype: all, event: all, fires: all });
  site.set({ user_permissions: 'absent' });
  t.is(await shown(site.token), undefined);
});

test('a permission taken from one token stays with the other', async (t) => {
  const { site, get } = await startSiteHarness(t);
  site.tokens.revoke(site.ordinaryToken, 'choices.view_choice');
  t.is((await get('choices/', { token: site.ordinaryToken })).status, 403);
  t.is((await get('choices/')).status, 200);
});

test('a deleted token is unknown from then on, a new one known', async (t) => {
  const { site, get } = await startSiteHarness(t);
  site.tokens.delete(site.token);
  t.is((await get('user/me')).status, 401);
  site.tokens.put({ token: 'other', permissions: ['choices.view_choice'] });
  t.is((await get('choices/', { token: 'other' })).status, 200);
  t.is((await get('subjects/', { token: 'other' })).status, 403);
});
