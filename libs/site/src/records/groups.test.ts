import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { calls, data, fakeSite, page, plain } from '../test/fake-site.ts';

const uuid = '11111111-2222-3333-4444-555555555555';
const subject = { id: 's', name: 'Somebody', subject_subtype: 'ranger' };

for (const key of ['member_groups', 'members_groups', 'subject_groups', 'members'])
  test(`the first group may stand under ${key}, as an object or an id`, async (t) => {
    const { site } = await fakeSite(t, [
      data({
        name: 'x',
        [key]: [
          { id: 'g1', name: 'One' },
          { id: 'g2', name: 'Two' },
        ],
      }),
      data({ [key]: [uuid] }),
      data({ [key]: [subject, { id: 9, name: 'Nine' }] }),
    ]);
    t.deepEqual(await site.firstMemberGroup(), { id: 'g1', name: 'One' });
    t.deepEqual(await site.firstMemberGroup(), { id: uuid, name: uuid });
    t.deepEqual(await site.firstMemberGroup(), { id: '9', name: 'Nine' });
  });

test('a group that is given by its name alone is looked up', async (t) => {
  const { site } = await fakeSite(t, [
    data({ member_groups: [{ name: 'Rangers' }] }),
    data([{ id: 'g', name: 'Rangers' }]),
  ]);
  t.deepEqual(await site.firstMemberGroup(), { id: 'g', name: 'Rangers' });
});

for (const payload of [{}, null, { member_groups: [] }, { member_groups: null }, { members: [subject, 'x', 7, null] }])
  test(`there is no group in ${JSON.stringify(payload)}`, async (t) => {
    const { site } = await fakeSite(t, data(payload));
    t.is(await site.firstMemberGroup(), null);
  });

test('without a configuration there is no group; without permission there is an error', async (t) => {
  const { site } = await fakeSite(t, [plain(404), plain(403)]);
  t.is(await site.firstMemberGroup(), null);
  t.true(isRelayError(await t.throwsAsync(site.firstMemberGroup()), 'site_forbidden'));
});

test('teams and the members whom a patrol may name are those of the configuration; null where the site does not tell', async (t) => {
  const { site, asked } = await fakeSite(t, [
    data({ members: [], teams: [{ id: 't', value: 'alpha', display: 'Alpha', is_active: false }] }),
    data({ members: [] }),
    plain(404),
    data({ members: [{ ...subject, id: 7 }], assets: [] }),
    plain(404),
  ]);
  t.deepEqual(await site.teams(), [{ value: 'alpha', display: 'Alpha', is_active: false }]);
  t.is(await site.teams(), null);
  t.is(await site.teams(), null);
  t.deepEqual(await site.patrolMembers(), ['7']);
  t.is(await site.patrolMembers(), null);
  const config = 'activity/patrols/config/default/';
  t.deepEqual(
    asked.map(({ path }) => path.replace(/^.*\/api\/v1.0\//, '')),
    [config, config, config, `${config}resolved/`, `${config}resolved/`],
  );
});

const group = (name: string, more: object = {}) => ({ id: `id-${name}`, name, subjects: [], subgroups: [], ...more });
test('members that cannot be found mean a site that is too old where it lists the group, else that the group is gone', async (t) => {
  const { site } = await fakeSite(t, [
    plain(404),
    data([group('Rangers')]),
    plain(404),
    data([]),
    plain(404),
    plain(403),
  ]);
  t.true(isRelayError(await t.throwsAsync(site.groupMembers('id-Rangers')), 'site_too_old'));
  for (const _ of [1, 2]) t.true(isRelayError(await t.throwsAsync(site.groupMembers('id-Rangers')), 'site_not_found'));
});

const members = 'subjectgroup/g/subjects/';

test('a group is found by its name, also inside of others', async (t) => {
  const nested = group('A', { subgroups: [group('Rangers old', { subgroups: [group('Rangers')] }), 'odd'] });
  const { site, asked } = await fakeSite(t, data([nested, group('rangers')]));
  t.deepEqual(await site.groupByName('Rangers'), { id: 'id-Rangers', name: 'Rangers' });
  t.is(await site.groupByName('Ranger'), null);
  t.deepEqual(Object.fromEntries(asked[0]?.query ?? []), {
    flat: 'true',
    include_hidden: 'true',
    include_inactive: 'true',
  });
});

test('the name of a group is compared without regard to case, spaces around it and how its letters are composed', async (t) => {
  const { site } = await fakeSite(t, data([group(' Équipe'), group('North')]));
  for (const name of ['équipe', 'E\u0301QUIPE ', ' Équipe'])
    t.is((await site.groupByName(name))?.id, 'id- Équipe', name);
});

test('of names that differ in case alone the exact one is taken, else none', async (t) => {
  const { site } = await fakeSite(
    t,
    data([group('rangers'), group('Rangers'), group('Twice'), group('Twice', { id: 'other' })]),
  );
  t.is((await site.groupByName('Rangers'))?.id, 'id-Rangers');
  for (const name of ['RANGERS', 'Twice', 'twice'])
    t.true(isRelayError(await t.throwsAsync(site.groupByName(name)), 'roster_group_ambiguous'), name);
});

test('members are the ids of a list, paged or not', async (t) => {
  const { site, asked } = await fakeSite(t, [data([{ id: 'a' }, { id: 'b', is_active: false }]), page(['c', 'c'])]);
  t.deepEqual(await site.groupMembers('g'), ['a', 'b']);
  t.deepEqual(await site.groupMembers('g'), ['c']);
  t.is(asked[0]?.path, members);
});

test('members are added and removed by at most 100 ids a call', async (t) => {
  const { site, asked } = await fakeSite(t, data([{ id: 's0' }]));
  const ids = Array.from({ length: 201 }, (_, i) => `s${i}`);
  await site.addToGroup('g', ids);
  await site.removeFromGroup('g', ids.slice(0, 1));
  await site.addToGroup('g', []);
  t.deepEqual(calls(asked), [...Array.from({ length: 3 }, () => `POST ${members}`), `DELETE ${members}`]);
  t.deepEqual(
    asked.map(({ body }) => (body as unknown[]).length),
    [100, 100, 1, 1],
  );
  t.deepEqual(asked[3]?.body, [{ id: 's0' }]);
});

test('an unknown id is a refusal', async (t) => {
  const refusal = { data: [{ id: ["Subjects with IDs ['x'] do not exist."] }], status: { code: 400 } };
  const { site } = await fakeSite(t, plain(400, refusal));
  for (const act of [site.addToGroup('g', ['x']), site.removeFromGroup('g', ['x'])]) {
    const error = await t.throwsAsync(act);
    t.true(isRelayError(error, 'site_refused'));
    t.regex(error?.message ?? '', /do not exist/);
  }
});

test('the member groups of the configuration come with the groups nested in them, each once', async (t) => {
  const nested = { id: 'g3', name: 'Three', subgroups: [] };
  const { site } = await fakeSite(t, [
    data({ members: [{ id: 'g1', name: 'One' }, { name: 'Two' }, { id: 'gone', name: 'Gone' }, subject] }),
    data([
      { id: 'g1', name: 'One', subgroups: [nested] },
      { id: 'g2', name: 'Two', subgroups: [nested] },
      { id: 'g4', name: 'Four' },
    ]),
    plain(404, {}),
  ]);
  const groups = await site.memberGroups();
  t.deepEqual(groups?.map(({ id }) => id).toSorted(), ['g1', 'g2', 'g3', 'gone']);
  t.is(await site.memberGroups(), null);
});
