import test from 'ava';
import { rowsOf, startSiteHarness } from '../../test/site.ts';

const types = 'activity/patrols/types/';

test('types are created, and listed flat', async (t) => {
  const { call, get } = await startSiteHarness(t);
  t.is((await call('POST', types, { value: 'patrol_foot', display: 'Foot', is_active: true })).status, 201);
  t.is((await call('POST', types, { value: 'patrol_boat', display: 'Boat', is_active: false })).status, 201);
  const rows = rowsOf(await get(`${types}?page_size=1&include_inactive=true`));
  t.deepEqual(
    rows.map(({ value, is_active }) => [value, is_active]),
    [
      ['patrol_foot', true],
      ['patrol_boat', false],
    ],
  );
  t.like(rows[0], { icon: null, icon_id: null, default_priority: 0, ordernum: 0 });
});

test('inactive types show on request, always, or in the list never', async (t) => {
  const { site, get } = await startSiteHarness(t);
  site.seed({ types: [{ value: 'on' }, { value: 'off', is_active: false }] });
  const seen = async (query: string) => [
    rowsOf(await get(`${types}${query}`)).length,
    (await get(`${types}off/${query}`)).status,
  ];
  t.deepEqual(
    [await seen(''), await seen('?include_inactive=true')],
    [
      [1, 404],
      [2, 200],
    ],
  );
  site.set({ inactive_types: 'shown' });
  t.deepEqual(await seen(''), [2, 200]);
  site.set({ inactive_types: 'unlisted' });
  t.deepEqual(await seen('?include_inactive=true'), [1, 200]);
  t.like((await get(`${types}on/`)).data, { value: 'on', is_active: true, schema: null });
  t.is((await get(`${types}nobody/`)).status, 404);
});

test('a value that exists, inactive ones included, is 400 with its sentence', async (t) => {
  const { site, call } = await startSiteHarness(t);
  site.seed({ types: [{ value: 'a', is_active: false }] });
  const reply = await call('POST', types, { value: 'a', display: 'A' });
  t.is(reply.status, 400);
  t.deepEqual(reply.json?.['value'], ['A patrol type with this value already exists.']);
  t.is(site.state().types.length, 1);
});

test('an over-long value or display is 500', async (t) => {
  const { call } = await startSiteHarness(t);
  t.is((await call('POST', types, { value: 'a'.repeat(51), display: 'A' })).status, 500);
  t.is((await call('POST', types, { value: 'a'.repeat(50), display: 'A'.repeat(256) })).status, 500);
  t.is((await call('POST', types, { value: 'a'.repeat(50), display: 'A'.repeat(255) })).status, 201);
});

for (const [name, body] of [
  ['without display', { value: 'a' }],
  ['without value', { display: 'A' }],
  ['with a value in capitals', { value: 'A', display: 'A' }],
  ['with a hyphen in its value', { value: 'a-b', display: 'A' }],
  ['with an icon', { value: 'a', display: 'A', icon: 'foot' }],
  ['with a flag that is no boolean', { value: 'a', display: 'A', is_active: 1 }],
] as const)
  test(`a type ${name} is refused`, async (t) => {
    const { site, call } = await startSiteHarness(t);
    t.is((await call('POST', types, body)).status, 400);
    t.deepEqual(site.state().types, []);
  });

for (const address of ['value', 'id', 'both'] as const)
  test(`a type is addressed by ${address}`, async (t) => {
    const { site, call } = await startSiteHarness(t, { switches: { type_address: address } });
    site.seed({ types: [{ id: 'the-id', value: 'väl ue' }] });
    const status = async (key: string) =>
      (await call('PATCH', `${types}${encodeURIComponent(key)}/`, { display: 'New' })).status;
    t.is(await status('väl ue'), address === 'id' ? 404 : 200);
    t.is(await status('the-id'), address === 'value' ? 404 : 200);
    t.is(await status('nobody'), 404);
  });

test('a patch changes display and flag, never the value', async (t) => {
  const { site, call } = await startSiteHarness(t);
  site.seed({ types: [{ value: 'a', is_active: false }] });
  t.like((await call('PATCH', `${types}a/`, { display: 'New', is_active: true })).data, { value: 'a', display: 'New' });
  t.true(site.state().types[0]?.is_active);
  t.is((await call('PATCH', `${types}a/`, { value: 'b' })).status, 400);
  t.is((await call('PATCH', `${types}a/`, { icon: 'x' })).status, 400);
  t.is((await call('PATCH', `${types}a/`, { display: 'x'.repeat(256) })).status, 500);
});

test('a delete is for good, and blanks the type in patrols that used it', async (t) => {
  const { site, call } = await startSiteHarness(t);
  site.seed({ types: [{ value: 'a' }, { value: 'b' }], patrols: [{ types: ['a', 'b'] }, { types: ['b'] }] });
  const b = site.state().types[1]?.id;
  t.is((await call('DELETE', `${types}a/`)).status, 200);
  t.deepEqual(
    site.state().types.map(({ value }) => value),
    ['b'],
  );
  t.deepEqual(
    site.state().patrols.map(({ patrol_segments }) => patrol_segments.map(({ patrol_type }) => patrol_type)),
    [[null, b], [b]],
  );
  t.is((await call('DELETE', `${types}a/`)).status, 404);
});

test('a site that is too old has 405 for writes, and still lists', async (t) => {
  const { site, call, get } = await startSiteHarness(t, { switches: { types_read_only: true } });
  site.seed({ types: [{ value: 'a' }] });
  t.is((await call('POST', types, { value: 'b', display: 'B' })).status, 405);
  t.is((await call('PATCH', `${types}a/`, { display: 'B' })).status, 405);
  t.is((await call('DELETE', `${types}a/`)).status, 405);
  t.is((await call('OPTIONS', types)).headers['allow'], 'GET, HEAD, OPTIONS');
  site.set({ types_read_only: false });
  t.is((await call('OPTIONS', types)).headers['allow'], 'GET, POST, HEAD, OPTIONS');
  t.is(rowsOf(await get(types)).length, 1);
});

test('patrols are counted by the id of a type', async (t) => {
  const { site, get } = await startSiteHarness(t);
  site.seed({
    types: [
      { id: 'i1', value: 'a' },
      { id: 'i2', value: 'b' },
      { id: 'i3', value: 'c' },
    ],
  });
  site.seed({ patrols: [{ types: ['a', 'b'] }, { types: ['b'] }] });
  const ask = (filter: string) => get(`activity/patrols/?page_size=1&filter=${encodeURIComponent(filter)}`);
  t.like((await ask('{"patrol_type":["i1"]}')).data, { count: 1, next: null });
  t.like((await ask('{"patrol_type":["i2"]}')).data, { count: 2 });
  t.is(rowsOf(await ask('{"patrol_type":["i2"]}')).length, 1);
  t.like((await ask('{"patrol_type":["i3"]}')).data, { count: 0, results: [] });
  t.like((await ask('{}')).data, { count: 2 });
  for (const bad of ['{', '[]', '{"patrol_type":"i1"}']) t.is((await ask(bad)).status, 400, bad);
});

test('a patrol names its types by id or by value', async (t) => {
  const { site, get } = await startSiteHarness(t);
  site.seed({ types: [{ id: 'i1', value: 'a' }], patrols: [{ types: ['a'] }] });
  const shown = async () => {
    const [patrol] = rowsOf(await get('activity/patrols/')) as { patrol_segments?: { patrol_type: unknown }[] }[];
    return patrol?.patrol_segments?.[0]?.patrol_type;
  };
  t.is(await shown(), 'i1');
  site.set({ patrol_type_shown: 'value' });
  t.is(await shown(), 'a');
});

test('a site may not honour the filter', async (t) => {
  const { site, get } = await startSiteHarness(t, { switches: { patrol_filter: 'ignored' } });
  site.seed({
    types: [
      { id: 'i1', value: 'a' },
      { id: 'i2', value: 'b' },
    ],
    patrols: [{ types: ['a'] }],
  });
  const filter = encodeURIComponent('{"patrol_type":["i2"]}');
  t.like((await get(`activity/patrols/?filter=${filter}&page_size=1`)).data, { count: 1 });
});
