import test, { type ExecutionContext } from 'ava';
import { startSiteHarness } from '../../test/site.ts';

const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const [member, retired, outsider] = [id(1), id(2), id(3)] as const;
const [team, formerTeam] = [id(4), id(5)] as const;
const [patrolId, segmentId] = [id(6), id(7)] as const;
const range = { start_time: '2024-03-02T06:00:00+03:00', end_time: '2024-03-02T11:00:00+03:00' };

const segment = (more: object = {}) => ({
  id: segmentId,
  patrol_type: 'patrol_foot',
  time_range: range,
  leader: { content_type: 'observations.subject', id: member },
  members: [member],
  team,
  segment_details: { objective: 'Look', ext_: 'leg', any_key: 1 },
  ...more,
});
const patrol = (segments: readonly object[] = [segment()]) => ({ id: patrolId, title: 'P', patrol_segments: segments });

/** A site with a member group, of which one is active and one retired, and two teams. */
const openSite = async (t: ExecutionContext) => {
  const harness = await startSiteHarness(t, { switches: { patrol_type_shown: 'value' } });
  const [, roster] = harness.site.state().groups;
  harness.site.seed({
    types: [{ value: 'patrol_foot' }],
    subjects: [
      { id: member, name: 'Member' },
      { id: retired, name: 'Retired', is_active: false },
      { id: outsider, name: 'Outsider' },
    ],
    groups: [{ id: roster?.id ?? '', name: 'Rangers', subjects: [member, retired] }],
    teams: [
      { id: team, value: 'alpha' },
      { id: formerTeam, value: 'beta', is_active: false },
    ],
  });
  return harness;
};

const segmentsOf = (data: unknown) => (data as { patrol_segments: Record<string, unknown>[] }).patrol_segments;

test('a patrol is written with its segments under the ids of the client, and read by its id', async (t) => {
  const { call, get } = await openSite(t);
  t.is((await get(`activity/patrols/${patrolId}`)).status, 404);
  const made = await call('POST', 'activity/patrols', patrol());
  t.is(made.status, 201);
  const { data } = await get(`activity/patrols/${patrolId}`);
  t.deepEqual(data, made.data);
  t.like(data, { id: patrolId, title: 'P', state: 'done' });
  t.like(segmentsOf(data)[0], { ...segment(), events: [] });
});

test('a patrol is done once all of its segments are in the past', async (t) => {
  const { call } = await openSite(t);
  const open = { ...range, end_time: null };
  const made = await call('POST', 'activity/patrols', patrol([segment({ time_range: open })]));
  t.like(made.data, { state: 'open' });
  const changed = await call('PATCH', `activity/patrols/${patrolId}`, {
    patrol_segments: [{ id: segmentId, time_range: range }],
  });
  t.like(changed.data, { state: 'done' });
});

for (const [what, more] of [
  ['a member outside of the resolved configuration', { members: [member, outsider] }],
  ['a retired member', { members: [retired] }],
  [
    'a leader outside of the resolved configuration',
    { leader: { content_type: 'observations.subject', id: outsider } },
  ],
  ['an inactive team', { team: formerTeam }],
  ['an unknown team', { team: id(99) }],
  ['an unknown type', { patrol_type: 'patrol_boat' }],
  ['a range that ends before it starts', { time_range: { start_time: range.end_time, end_time: range.start_time } }],
] as const)
  test(`a segment with ${what} is 400, and nothing is written`, async (t) => {
    const { site, call } = await openSite(t);
    t.is((await call('POST', 'activity/patrols', patrol([segment(more)]))).status, 400);
    t.deepEqual(site.state().patrols, []);
  });

test('an id that exists is 500, of a patrol and of a segment', async (t) => {
  const { site, call } = await openSite(t);
  await call('POST', 'activity/patrols', patrol());
  t.is((await call('POST', 'activity/patrols', patrol([]))).status, 500);
  t.is((await call('POST', 'activity/patrols', { ...patrol(), id: id(8) })).status, 500);
  t.is(site.state().patrols.length, 1);
});

test('a patch changes segments by id, replaces members, adds those without id, deletes none, refuses a strange id', async (t) => {
  const { call } = await openSite(t);
  await call('POST', 'activity/patrols', patrol());
  const path = `activity/patrols/${patrolId}`;
  const patched = await call('PATCH', path, {
    patrol_segments: [{ id: segmentId, members: [] }, { patrol_type: 'patrol_foot' }],
  });
  t.is(patched.status, 200);
  const [first, second] = segmentsOf(patched.data);
  t.like(first, { id: segmentId, members: [], team, patrol_type: 'patrol_foot' });
  t.like(second, { patrol_type: 'patrol_foot', members: [] });
  t.is(segmentsOf((await call('PATCH', path, { title: 'Q' })).data).length, 2);
  t.is((await call('PATCH', path, { patrol_segments: [{ id: id(9) }] })).status, 400);
});

test('patrols are written only with the permission for it', async (t) => {
  const { site, call } = await openSite(t);
  site.tokens.revoke(site.token, 'activity.add_patrol');
  t.is((await call('POST', 'activity/patrols', patrol())).status, 403);
  site.tokens.grant(site.token, 'activity.add_patrol');
  await call('POST', 'activity/patrols', patrol());
  site.tokens.revoke(site.token, 'activity.change_patrol');
  t.is((await call('PATCH', `activity/patrols/${patrolId}`, {})).status, 403);
});
