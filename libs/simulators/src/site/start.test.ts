import test from 'ava';
import { startSiteHarness } from '../test/site.ts';

test('a fresh site has the flag on, a default and a member group, two tokens, and nothing else', async (t) => {
  const { site, get } = await startSiteHarness(t);
  const state = site.state();
  const [base, roster] = state.groups;
  t.is(state.groups.length, 2);
  t.is(state.default_group, base?.id as string);
  t.deepEqual(state.member_groups, [roster?.id as string]);
  t.like(state, { types: [], patrols: [], choices: [], subjects: [], form: null, switches: { patrol_schemas: 'on' } });
  t.deepEqual(
    state.tokens.map(({ is_superuser }) => is_superuser),
    [true, false],
  );
  for (const token of [site.token, site.ordinaryToken])
    for (const path of ['user/me', 'subjects/', 'subjectgroups/', `subjectgroup/${base?.id}/subjects/`, 'choices/'])
      t.is((await get(path, { token })).status, 200, path);
});

test('a seed decides every id, whatever was read in between', async (t) => {
  const run = async (seed: number, reads: number) => {
    const { site, call, get } = await startSiteHarness(t, { seed });
    site.seed({ choices: [{ field: 'f', value: 'a' }] });
    for (let n = 0; n < reads; n += 1) await get('choices/');
    await call('POST', 'subjects/', { name: 'S', subject_subtype: 'ranger' });
    return site.state();
  };
  t.deepEqual(await run(7, 0), await run(7, 3));
  t.notDeepEqual(await run(7, 0), await run(8, 0));
});

test('ids are UUIDs', async (t) => {
  const { site } = await startSiteHarness(t);
  site.seed({ types: [{ value: 'a' }], choices: [{ field: 'f', value: 'a' }], subjects: [{ name: 'S' }] });
  const { types, choices, subjects, groups } = site.state();
  for (const { id } of [...types, ...choices, ...subjects, ...groups])
    t.regex(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});

test('tokens, switches and state are options', async (t) => {
  const { site, get } = await startSiteHarness(t, {
    token: 'mine',
    ordinaryToken: 'yours',
    switches: { patrol_schemas: 'off' },
    state: { switches: { type_address: 'id' }, types: [{ value: 'a' }] },
  });
  t.is(site.token, 'mine');
  t.is((await get('user/me', { token: 'mine' })).status, 200);
  t.is((await get('user/me', { token: 'yours' })).status, 200);
  t.like(site.state().switches, { patrol_schemas: 'off', type_address: 'id' });
  t.is(site.state().groups.length, 2);
});
