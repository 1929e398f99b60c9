import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { calls, data, fakeSite, page, plain } from '../test/fake-site.ts';

const plainType = { id: 'i1', value: 'patrol_foot', display: 'Foot', is_active: true };
const type = { ...plainType, icon: 'foot', ordernum: 1, default_priority: 0 };
const stored = { ...type, icon_id: 'foot' };
const gone = plain(404, { status: { code: 404, message: 'Not Found' } });
const base = 'activity/patrols/types/';

test('inactive types are asked for, in the list and one by one', async (t) => {
  const { site, asked } = await fakeSite(t, [data([stored]), data(stored), gone, data([stored]), gone, data([])]);
  await site.patrolTypes();
  t.deepEqual(await site.patrolType('patrol_foot'), type);
  t.deepEqual(await site.patrolType('patrol_foot'), type, 'a site that knows no values as addresses lists the type');
  t.is(await site.patrolType('patrol_foot'), undefined);
  t.deepEqual(calls(asked).slice(0, 3), [`GET ${base}`, `GET ${base}patrol_foot/`, `GET ${base}patrol_foot/`]);
  t.true(asked.every(({ query }) => query.get('include_inactive') === 'true'));
});

test('types come as they are used, active and inactive, once each', async (t) => {
  const { site } = await fakeSite(t, data([stored, { ...stored, id: 'i2', is_active: false }, stored]));
  t.deepEqual(await site.patrolTypes(), [type, { ...type, id: 'i2', is_active: false }]);
});

test('a new type is sent with value, display and flag, and never with an icon', async (t) => {
  const { site, asked } = await fakeSite(t, data(stored, 201));
  const { id, ...fresh } = plainType;
  t.deepEqual(await site.createPatrolType({ ...fresh, icon: 'x' } as typeof fresh), type);
  t.is(id, 'i1');
  t.deepEqual(asked[0]?.body, { value: 'patrol_foot', display: 'Foot', is_active: true });
});

test('a value that exists is a conflict, another refusal of the value is not', async (t) => {
  const taken = plain(400, { value: ['A patrol type with this value already exists.'], status: { code: 400 } });
  const { site } = await fakeSite(t, [taken, plain(400, { value: ['Too long.'] })]);
  t.true(isRelayError(await t.throwsAsync(site.createPatrolType(type)), 'site_conflict'));
  t.true(isRelayError(await t.throwsAsync(site.createPatrolType(type)), 'site_refused'));
});

test('types are addressed by their value, escaped, and by the id where that is not known', async (t) => {
  const { site, asked } = await fakeSite(t, [data(stored), gone, data(stored), gone, data(null)]);
  await site.patchPatrolType({ ...type, value: 'a/ü' }, { display: 'x' });
  await site.patchPatrolType(type, { is_active: true });
  await site.deletePatrolType(type);
  t.deepEqual(calls(asked), [
    `PATCH ${base}a%2F%C3%BC/`,
    `PATCH ${base}patrol_foot/`,
    `PATCH ${base}i1/`,
    `DELETE ${base}patrol_foot/`,
    `DELETE ${base}i1/`,
  ]);
  t.deepEqual(asked[2]?.body, { is_active: true });
});

test('a type that neither value nor id find is not there', async (t) => {
  const { site } = await fakeSite(t, gone);
  t.true(isRelayError(await t.throwsAsync(site.deletePatrolType(type)), 'site_not_found'));
});

test('a site without these writes is too old', async (t) => {
  const { site } = await fakeSite(t, plain(405, { status: { code: 405 } }));
  t.true(isRelayError(await t.throwsAsync(site.createPatrolType(type)), 'site_too_old'));
  t.true(isRelayError(await t.throwsAsync(site.patchPatrolType(type, {})), 'site_too_old'));
});

const allow = (methods: string) => plain(200, {}, { allow: methods });

test('a site that says by its methods that it only lists types is too old; one that says nothing is not', async (t) => {
  const { site, asked } = await fakeSite(t, [allow('GET, HEAD, OPTIONS'), allow('GET, POST'), data({}), plain(405)]);
  t.true(isRelayError(await t.throwsAsync(site.checkPatrolTypesWritable()), 'site_too_old'));
  for (const _ of [1, 2, 3]) await t.notThrowsAsync(site.checkPatrolTypesWritable());
  t.deepEqual(new Set(calls(asked)), new Set([`OPTIONS ${base}`]));
});

const superuser = data({ id: 'u', is_superuser: true });

test('only a count of nothing says that a type is unused', async (t) => {
  const { site, asked } = await fakeSite(t, [page([]), superuser, data([])]);
  t.is(await site.patrolTypeUse(type), 'unused');
  t.is(await site.patrolTypeUse(type), 'unused');
  t.is(asked[0]?.query.get('filter'), '{"patrol_type":["i1"]}');
  t.is(asked[0]?.query.get('page_size'), '1');
});

test('a count of nothing says nothing for a token that may not view all patrols', async (t) => {
  for (const [me, use] of [
    [{ is_superuser: false }, 'unknown'],
    [{ is_superuser: false, permissions: ['activity.view_patroltype'] }, 'unknown'],
    [{ is_superuser: false, permissions: ['activity.view_patrol'] }, 'unused'],
    [{ is_superuser: false, permissions: { patrol: ['add'], patroltype: ['view'] } }, 'unknown'],
    [{ is_superuser: false, permissions: { patrol: ['view'] } }, 'unused'],
    ['<html>', 'unknown'],
  ] as const) {
    const { site } = await fakeSite(t, [page([]), typeof me === 'string' ? plain(200, me) : data(me)]);
    t.is(await site.patrolTypeUse(type), use);
  }
});

const other = { id: 'p', patrol_segments: [{ patrol_type: 'patrol_boat' }] };
for (const [name, [answer, use]] of Object.entries({
  'a patrol of another type': [page([other]), 'used'],
  'a count without rows': [page([], null, 3), 'used'],
  'a count that is missing': [data({ results: [] }), 'used'],
  'no list': [data(null), 'used'],
  'no permission': [plain(403), 'unknown'],
  'an error': [plain(500), 'unknown'],
  'no JSON': [plain(200, '<html>'), 'unknown'],
} as const))
  test(`${name} does not count as unused`, async (t) => {
    const { site } = await fakeSite(t, answer);
    t.is(await site.patrolTypeUse(type), use);
  });

test('a refused token is no word about use', async (t) => {
  const { site } = await fakeSite(t, plain(401));
  t.true(isRelayError(await t.throwsAsync(site.patrolTypeUse(type)), 'site_unauthorized'));
});
