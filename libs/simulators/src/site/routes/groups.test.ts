import test from 'ava';
import { rowsOf, startSiteHarness, type SiteReply } from '../../test/site.ts';

const [one, two, gone] = ['1', '2', '3'].map((digit) => `${digit.repeat(8)}-1111-4111-a111-${digit.repeat(12)}`) as [
  string,
  string,
  string,
];
const subjects = [
  { id: one, name: 'One' },
  { id: two, name: 'Two', is_active: false },
];
const groups = [
  { id: 'g', name: 'Rangers', subjects: [two] },
  { id: 'h', name: 'Rangers North', parent: 'g' },
  { id: 'i', name: 'Secret', hidden: true },
];
const state = { subjects, groups, default_group: 'g', member_groups: ['g'] };

const members = 'subjectgroup/g/subjects/';
const names = (reply: SiteReply): unknown[] => rowsOf(reply).map(({ name }) => name);

test('groups are listed one by one with flat, else as trees', async (t) => {
  const { site, get } = await startSiteHarness(t, { state });
  t.deepEqual(names(await get('subjectgroups/?flat=true')), ['Rangers', 'Rangers North']);
  const [tree] = rowsOf(await get('subjectgroups/'));
  t.like(tree, { name: 'Rangers', subgroups: [{ name: 'Rangers North', subjects: [], subgroups: [] }] });
  site.set({ groups_flat: 'ignored' });
  t.deepEqual(names(await get('subjectgroups/?flat=true')), ['Rangers']);
});

test('hidden groups are listed only when asked for', async (t) => {
  const { get } = await startSiteHarness(t, { state });
  t.false(names(await get('subjectgroups/?flat=true')).includes('Secret'));
  t.true(names(await get('subjectgroups/?flat=true&include_hidden=true')).includes('Secret'));
});

test('a name finds more groups than those of exactly this name, unless the site is exact or ignores it', async (t) => {
  const { site, get } = await startSiteHarness(t, { state });
  const found = async () => names(await get('subjectgroups/?flat=true&include_hidden=true&group_name=rangers'));
  t.deepEqual(await found(), ['Rangers', 'Rangers North']);
  site.set({ group_name_filter: 'exact' });
  t.deepEqual(await found(), []);
  site.set({ group_name_filter: 'ignored' });
  t.deepEqual(await found(), ['Rangers', 'Rangers North', 'Secret']);
});

test('without flat a nested group is found inside its tree', async (t) => {
  const { get } = await startSiteHarness(t, { state, switches: { groups_flat: 'ignored' } });
  const [tree] = rowsOf(await get('subjectgroups/?flat=true&group_name=North'));
  t.like(tree, { name: 'Rangers', subgroups: [{ name: 'Rangers North' }] });
});

test('groups list inactive members only when asked for, the members path always', async (t) => {
  const { get } = await startSiteHarness(t, { state });
  t.like(rowsOf(await get('subjectgroups/'))[0], { subjects: [] });
  t.like(rowsOf(await get('subjectgroups/?include_inactive=true'))[0], { subjects: [{ name: 'Two' }] });
  t.deepEqual(names(await get(members)), ['Two']);
});

test('adding gives the full member list; adding again changes nothing', async (t) => {
  const { site, call } = await startSiteHarness(t, { state });
  const added = await call('POST', members, [{ id: one }]);
  t.is(added.status, 200);
  t.deepEqual(names(added), ['Two', 'One']);
  t.deepEqual(names(await call('POST', members, [{ id: one }, { id: two }])), ['Two', 'One']);
  t.deepEqual(site.state().groups[0]?.subjects, [two, one]);
});

test('removing gives the full member list; removing nobody changes nothing', async (t) => {
  const { site, call } = await startSiteHarness(t, { state });
  t.deepEqual(names(await call('DELETE', members, [{ id: one }])), ['Two']);
  const removed = await call('DELETE', members, [{ id: two }]);
  t.is(removed.status, 200);
  t.deepEqual(names(removed), []);
  t.is(site.state().subjects.length, 2);
});

test('an unknown id is 400 that names it, and nobody is added', async (t) => {
  const { site, call } = await startSiteHarness(t, { state });
  for (const method of ['POST', 'DELETE'] as const) {
    const reply = await call(method, members, [{ id: one }, { id: gone }]);
    t.is(reply.status, 400);
    t.true(reply.text.includes(`Subjects with IDs ['${gone}'] do not exist.`));
  }
  t.deepEqual(site.state().groups[0]?.subjects, [two]);
});

test('bad items are refused one by one, bad bodies as a whole', async (t) => {
  const { call } = await startSiteHarness(t, { state });
  const reply = await call('POST', members, [{ id: 'x' }, { id: one }, {}]);
  t.is(reply.status, 400);
  t.deepEqual(reply.data, [{ id: ['Must be a valid UUID.'] }, {}, { id: ['This field is required.'] }]);
  for (const body of [{ id: one }, [one], undefined]) t.is((await call('POST', members, body)).status, 400);
});

test('any number of ids goes into one call', async (t) => {
  const { call } = await startSiteHarness(t, { state });
  const ids = Array.from({ length: 500 }, () => ({ id: one }));
  t.is((await call('POST', members, ids)).status, 200);
});

test('an unknown group is 404, one that the token may not view is 403 and unlisted', async (t) => {
  const { site, call, get } = await startSiteHarness(t, { state });
  site.tokens.put({ token: site.ordinaryToken, groups: ['h'] });
  const token = site.ordinaryToken;
  t.is((await get('subjectgroup/nobody/subjects/')).status, 404);
  t.is((await get(members, { token })).status, 403);
  t.is((await call('POST', members, [{ id: one }], { token })).status, 403);
  t.deepEqual(names(await get('subjectgroups/?flat=true', { token })), ['Rangers North']);
  t.deepEqual(names(await get('subjectgroups/', { token })), ['Rangers North']);
});

const config = 'activity/patrols/config/default/';

for (const key of ['member_groups', 'members_groups', 'subject_groups', 'members'] as const)
  test(`the configuration has its groups under ${key}, as ids, objects or names`, async (t) => {
    const { site, get } = await startSiteHarness(t, { state: { ...state, member_groups: ['h', 'g'] } });
    const groupsOf = async () => ((await get(config)).data as Record<string, unknown>)[key];
    site.set({ config_key: key, config_items: 'ids' });
    t.deepEqual(await groupsOf(), ['h', 'g']);
    site.set({ config_items: 'objects' });
    t.deepEqual(await groupsOf(), [
      { id: 'h', name: 'Rangers North' },
      { id: 'g', name: 'Rangers' },
    ]);
    site.set({ config_items: 'names' });
    t.deepEqual(await groupsOf(), [{ name: 'Rangers North' }, { name: 'Rangers' }]);
  });

test('subjects may stand among the member groups, told by their subtype', async (t) => {
  const { get } = await startSiteHarness(t, { state: { ...state, member_groups: [one, 'g'] } });
  const [first, second] = ((await get(config)).data as { members: unknown[] }).members;
  t.deepEqual(first, { id: one, name: 'One', subject_subtype: 'ranger' });
  t.deepEqual(second, { id: 'g', name: 'Rangers' });
});

test('the configuration may be empty or missing', async (t) => {
  const { site, get } = await startSiteHarness(t, { state });
  site.set({ config: 'empty' });
  t.like((await get(config)).data, { members: [], teams: [] });
  site.set({ config: 'not_found' });
  t.is((await get(config)).status, 404);
  t.is((await get(`${config}resolved/`)).status, 404);
});

test('the resolved configuration has the active subjects of nested groups, persons apart, and the active teams', async (t) => {
  const more = [
    { id: 'n', name: 'Nested' },
    { id: 'car', name: 'Car', subject_type: 'vehicle' },
  ];
  const nested = [
    { id: 'g', name: 'Rangers', subjects: [one, two] },
    { id: 'h', name: 'Rangers North', parent: 'g', subjects: ['n', 'car', one] },
  ];
  const teams = [
    { id: 't', value: 'alpha', display: 'Alpha', is_active: true },
    { id: 'u', value: 'beta', display: 'Beta', is_active: false },
  ];
  const { get } = await startSiteHarness(t, {
    state: { ...state, subjects: [...subjects, ...more], groups: nested, teams },
  });
  t.deepEqual((await get(config)).data, { name: 'default', members: [{ id: 'g', name: 'Rangers' }], teams });
  const resolved = (await get(`${config}resolved/`)).data as Record<string, { id: string }[]>;
  t.deepEqual(
    Object.entries(resolved).map(([name, rows]) => [name].concat(rows.map(({ id }) => id))),
    [
      ['members', one, 'n'],
      ['assets', 'car'],
      ['teams', 't'],
    ],
  );
});
