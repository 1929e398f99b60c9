import test from 'ava';
import { rowsOf, startSiteHarness } from '../../test/site.ts';

const ids = (rows: readonly Record<string, unknown>[]): unknown[] => rows.map(({ id }) => id);

test('inactive subjects are listed only when asked for', async (t) => {
  const { site, get } = await startSiteHarness(t);
  site.seed({
    subjects: [
      { id: 'a', name: 'A' },
      { id: 'b', name: 'B', is_active: false },
    ],
  });
  t.deepEqual(ids(rowsOf(await get('subjects/'))), ['a']);
  t.deepEqual(ids(rowsOf(await get('subjects/?include_inactive=true'))), ['a', 'b']);
  t.deepEqual(ids(rowsOf(await get('subjects/?include_inactive=true&page_size=1&page=2'))), ['b']);
});

test('unknown parameters are ignored, any filter on additional too; ids are not', async (t) => {
  const { site, get } = await startSiteHarness(t);
  site.seed({ subjects: ['a', 'b', 'c'].map((id) => ({ id, name: id, additional: { ext_member_id: id } })) });
  const all = 'subjects/?additional__ext_member_id=a&name=a&render_last_location=false';
  t.deepEqual(ids(rowsOf(await get(all))), ['a', 'b', 'c']);
  t.deepEqual(ids(rowsOf(await get('subjects/?id=c,a,nobody'))), ['a', 'c']);
});

test('the members of a group are asked for by its id', async (t) => {
  const { site, get } = await startSiteHarness(t);
  const subjects = ['a', 'b', 'c'].map((id) => ({ id, name: id, is_active: id !== 'b' }));
  site.seed({ subjects, groups: [{ id: 'g', name: 'G', subjects: ['a', 'b'] }] });
  t.deepEqual(ids(rowsOf(await get('subjects?subject_group=g'))), ['a']);
  t.deepEqual(ids(rowsOf(await get('subjects?subject_group=g&include_inactive=True'))), ['a', 'b']);
  t.deepEqual(ids(rowsOf(await get('subjects?subject_group=nobody'))), []);
});

test('a new subject has its defaults and joins the default group', async (t) => {
  const { site, call, get } = await startSiteHarness(t);
  const reply = await call('POST', 'subjects/', { name: 'A', subject_subtype: 'ranger', unknown: 1 });
  t.is(reply.status, 201);
  t.like(reply.data, { name: 'A', subject_subtype: 'ranger', is_active: true, additional: {} });
  const { id } = reply.data as { id: string };
  t.deepEqual(site.state().groups[0]?.subjects, [id]);
  t.is(Object.hasOwn(site.state().subjects[0] ?? {}, 'unknown'), false);
  t.deepEqual(ids(rowsOf(await get('subjects/'))), [id]);
});

test('without a default group nobody can be created: 500', async (t) => {
  const { site, call } = await startSiteHarness(t, { state: { default_group: null } });
  t.is((await call('POST', 'subjects/', { name: 'A', subject_subtype: 'ranger' })).status, 500);
  t.deepEqual(site.state().subjects, []);
});

for (const [name, change, field, status] of [
  ['an unknown subtype', { subject_subtype: 'warden' }, 'subject_subtype', 400],
  ['no subtype', { subject_subtype: undefined }, 'subject_subtype', 400],
  ['no name', { name: undefined }, 'name', 400],
  ['a blank name', { name: '  ' }, 'name', 400],
  ['a name over 100 characters', { name: 'x'.repeat(101) }, null, 500],
  ['additional that is a list', { additional: [] }, 'additional', 400],
  ['a flag that is a text', { is_active: 'true' }, 'is_active', 400],
] as const)
  test(`a subject with ${name} is ${status}`, async (t) => {
    const { site, call } = await startSiteHarness(t);
    const reply = await call('POST', 'subjects/', { name: 'A', subject_subtype: 'ranger', ...change });
    t.is(reply.status, status);
    if (field !== null) t.true(Array.isArray(reply.json?.[field]));
    t.deepEqual(site.state().subjects, []);
  });

test('the refusal of a subtype says that it does not exist', async (t) => {
  const { call } = await startSiteHarness(t, { state: { subtypes: ['driver'] } });
  const reply = await call('POST', 'subjects/', { name: 'A', subject_subtype: 'ranger' });
  t.regex(String(reply.json?.['subject_subtype']), /does not exist/);
});

test('a patch replaces additional whole, leaves what it does not name, and ignores unknown members', async (t) => {
  const { site, call } = await startSiteHarness(t);
  site.seed({ subjects: [{ id: 'a', name: 'A', additional: { one: 1, two: 2 } }] });
  await call('PATCH', 'subject/a/', { additional: { two: 3 }, unknown: 1 });
  t.like(site.state().subjects[0], { name: 'A', additional: { two: 3 } });
  t.deepEqual(site.state().subjects[0]?.additional, { two: 3 });
  await call('PATCH', 'subject/a/', { is_active: false });
  t.like(site.state().subjects[0], { is_active: false, additional: { two: 3 } });
  t.is(Object.hasOwn(site.state().subjects[0] ?? {}, 'unknown'), false);
});

test('an id in a patch must be the one in the path', async (t) => {
  const { site, call } = await startSiteHarness(t);
  site.seed({ subjects: [{ id: 'a', name: 'A' }] });
  t.is((await call('PATCH', 'subject/a/', { id: 'b', name: 'B' })).status, 400);
  t.is(site.state().subjects[0]?.name, 'A');
  t.is((await call('PATCH', 'subject/a/', { id: 'a', name: 'B' })).status, 200);
  t.is((await call('POST', 'subjects/', { id: 'a', name: 'C', subject_subtype: 'ranger' })).status, 409);
});

test('a deleted subject is gone, from its groups too', async (t) => {
  const { site, call } = await startSiteHarness(t);
  const { data } = await call('POST', 'subjects/', { name: 'A', subject_subtype: 'ranger' });
  const { id } = data as { id: string };
  t.is((await call('DELETE', `subject/${id}/`)).status, 200);
  t.deepEqual(site.state().subjects, []);
  t.deepEqual(site.state().groups[0]?.subjects, []);
  t.is((await call('PATCH', `subject/${id}/`, { name: 'B' })).status, 404);
});

const groups = [
  { id: 'outer', name: 'Outer', subjects: ['a'] },
  { id: 'inner', name: 'Inner', parent: 'outer', hidden: true, subjects: ['b', 'a'] },
  { id: 'else', name: 'Else', subjects: ['c'] },
];
const subjects = ['a', 'b', 'c', 'd'].map((id) => ({ id, name: id }));

test('others than superusers see subjects of their groups and subgroups, one row for each group', async (t) => {
  const { site, call, get } = await startSiteHarness(t, { state: { groups, subjects } });
  site.tokens.put({ token: site.ordinaryToken, groups: ['outer'] });
  const token = site.ordinaryToken;
  t.deepEqual(ids(rowsOf(await get('subjects/', { token }))), ['a', 'b', 'a']);
  t.like((await get('subjects/?page_size=2', { token })).data, { count: 3 });
  t.deepEqual(ids(rowsOf(await get('subjects/'))), ['a', 'b', 'c', 'd']);
  t.is((await call('PATCH', 'subject/c/', { name: 'C' }, { token })).status, 404);
  t.is((await call('PATCH', 'subject/b/', { name: 'B' }, { token })).status, 200);
  site.set({ duplicate_subjects: false });
  t.deepEqual(ids(rowsOf(await get('subjects/', { token }))), ['a', 'b']);
});

test('a token without view on the default group does not see whom it creates', async (t) => {
  const { site, call, get } = await startSiteHarness(t, { state: { groups, default_group: 'else' } });
  site.tokens.put({ token: site.ordinaryToken, groups: ['outer'] });
  const token = site.ordinaryToken;
  const reply = await call('POST', 'subjects/', { name: 'A', subject_subtype: 'ranger' }, { token });
  t.is(reply.status, 201);
  const { id } = reply.data as { id: string };
  t.deepEqual(rowsOf(await get(`subjects/?id=${id}`, { token })), []);
  t.is(rowsOf(await get(`subjects/?id=${id}`)).length, 1);
});
