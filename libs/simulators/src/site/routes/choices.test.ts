import test from 'ava';
import { newChoice, rowsOf, startSiteHarness } from '../../test/site.ts';

const list = (field: string, more = ''): string => `choices/?model=activity.event&field=${field}&page_size=4000${more}`;

test('a field that nobody used is 400 with the phrase, or an empty list', async (t) => {
  const { site, get } = await startSiteHarness(t);
  const reply = await get(list('patrol_mandate'));
  t.is(reply.status, 400);
  t.regex(String(reply.json?.['field']), /is not one of the available choices/);
  t.like(reply.json, { status: { code: 400, message: 'Bad Request' } });
  site.set({ choice_unseen_field: 'empty' });
  t.like((await get(list('patrol_mandate'))).data, { count: 0, results: [], next: null });
});

test('a field with inactive choices alone counts as seen', async (t) => {
  const { site, get } = await startSiteHarness(t);
  site.seed({ choices: [{ field: 'f', value: 'v', is_active: false }] });
  t.like((await get(list('f'))).data, { count: 0 });
  t.like((await get(list('f', '&include_inactive=true'))).data, { count: 1 });
});

test('choices are filtered by model and field: exactly, in any case, or not at all', async (t) => {
  const { site, get } = await startSiteHarness(t);
  site.seed({
    choices: [
      { field: 'patrol_zone', value: 'a' },
      { field: 'Patrol_Zone', value: 'b' },
      { field: 'patrol_zone', value: 'c', model: 'other.model' },
      { field: 'else', value: 'd' },
    ],
  });
  const values = async () =>
    rowsOf(await get(list('patrol_zone')))
      .map(({ value }) => value)
      .toSorted();
  t.deepEqual(await values(), ['a']);
  site.set({ choice_filter: 'any_case' });
  t.deepEqual(await values(), ['a', 'b']);
  t.is((await get(list('nothing'))).status, 400);
  site.set({ choice_filter: 'ignored' });
  t.deepEqual(await values(), ['a', 'b', 'c', 'd']);
  t.is(rowsOf(await get(list('nothing'))).length, 4);
});

test('choices come by ordernum, null last; equal ones in another order for each query', async (t) => {
  const { site, get } = await startSiteHarness(t);
  const same = Array.from({ length: 30 }, (_, n) => ({ field: 'f', value: `same${n}`, ordernum: 5 }));
  const more = [
    { field: 'f', value: 'last' },
    { field: 'f', value: 'first', ordernum: 0 },
  ];
  site.seed({ choices: [...more, ...same] });
  const values = async (more = '') => rowsOf(await get(`${list('f')}${more}`)).map(({ value }) => value);
  const [one, two] = [await values(), await values('&page=1')];
  t.deepEqual(await values(), one);
  t.notDeepEqual(one, two);
  t.deepEqual(one.toSorted(), two.toSorted());
  for (const order of [one, two]) t.deepEqual([order[0], order.at(-1)], ['first', 'last']);
  site.set({ equal_keys: 'by_id' });
  t.deepEqual(await values(), await values('&page=1'));
});

test('what a choice is unique on gives 409, inactive ones included', async (t) => {
  const { site, call } = await startSiteHarness(t);
  site.seed({ choices: [{ field: 'f', value: 'v', is_active: false }] });
  const reply = await call('POST', 'choices/', newChoice('f', 'v'));
  t.is(reply.status, 409);
  t.is(typeof (reply.data as { error_message: unknown }).error_message, 'string');
  t.like(reply.json, { status: { code: 409, message: 'Conflict' } });
  t.is(site.state().choices.length, 1);
  for (const body of [newChoice('f', 'V'), newChoice('g', 'v'), newChoice('f', 'v', { model: 'other.model' })])
    t.is((await call('POST', 'choices/', body)).status, 201);
});

const ofLength = (column: string, size: number) => newChoice('f', 'v', { [column]: 'é'.repeat(size) });

for (const [column, most] of [
  ['field', 40],
  ['value', 100],
  ['display', 100],
] as const)
  test(`an over-long ${column} is 500, and nothing is kept`, async (t) => {
    const { site, call } = await startSiteHarness(t);
    const reply = await call('POST', 'choices/', ofLength(column, most + 1));
    t.is(reply.status, 500);
    t.like(reply.json, { status: { code: 500, detail: `value too long for type character varying(${most})` } });
    t.deepEqual(site.state().choices, []);
    t.is((await call('POST', 'choices/', ofLength(column, most))).status, 201);
  });

for (const [name, change, field] of [
  ['no value', { value: undefined }, 'value'],
  ['a blank display', { display: ' ' }, 'display'],
  ['a value that is no text', { value: 7 }, 'value'],
  ['a flag that is no boolean', { is_active: 'yes' }, 'is_active'],
  ['a position over 32767', { ordernum: 32_768 }, 'ordernum'],
  ['a position below 0', { ordernum: -1 }, 'ordernum'],
  ['a broken position', { ordernum: 1.5 }, 'ordernum'],
] as const)
  test(`a choice with ${name} is 400 that names the member`, async (t) => {
    const { site, call } = await startSiteHarness(t);
    const reply = await call('POST', 'choices/', newChoice('f', 'v', change));
    t.is(reply.status, 400);
    t.true(Array.isArray(reply.json?.[field]));
    t.deepEqual(site.state().choices, []);
  });

test('a delete only makes a choice inactive; a patch revives it', async (t) => {
  const { site, call } = await startSiteHarness(t);
  site.seed({ choices: [{ id: 'c', field: 'f', value: 'v' }] });
  await call('DELETE', 'choices/c/');
  t.like(site.state().choices[0], { value: 'v', is_active: false });
  t.is((await call('PATCH', 'choices/c/', { is_active: true })).status, 200);
  t.true(site.state().choices[0]?.is_active);
});

test('a patch changes what it names, keeps uniqueness, and is 404 for nobody', async (t) => {
  const { site, call } = await startSiteHarness(t);
  site.seed({
    choices: [
      { id: 'c', field: 'f', value: 'v', ordernum: 3 },
      { id: 'd', field: 'f', value: 'w' },
    ],
  });
  t.like((await call('PATCH', 'choices/c/', { display: 'New', unknown: 1 })).data, { display: 'New', ordernum: 3 });
  t.is((await call('PATCH', 'choices/c/', { value: 'w' })).status, 409);
  t.is((await call('PATCH', 'choices/c/', { display: 'x'.repeat(101) })).status, 500);
  t.is((await call('PATCH', 'choices/nobody/', { display: 'x' })).status, 404);
  t.is((await call('DELETE', 'choices/nobody/')).status, 404);
  t.is(Object.hasOwn(site.state().choices[0] ?? {}, 'unknown'), false);
});

test('a changed field is found under its new name alone', async (t) => {
  const { site, call, get } = await startSiteHarness(t);
  site.seed({ choices: [{ id: 'c', field: 'f', value: 'v' }] });
  await call('PATCH', 'choices/c/', { field: 'g' });
  t.is((await get(list('f'))).status, 400);
  t.is(rowsOf(await get(list('g'))).length, 1);
});

test('a site may create a choice without saying its id', async (t) => {
  const { site, call } = await startSiteHarness(t, { switches: { choice_without_id: true } });
  const reply = await call('POST', 'choices/', newChoice('f', 'v'));
  t.is(reply.status, 201);
  t.false(Object.hasOwn(reply.data as object, 'id'));
  t.regex(String(site.state().choices[0]?.id), /^[0-9a-f-]{36}$/);
});

test('a site may refuse values with anything but word characters', async (t) => {
  const { site, call } = await startSiteHarness(t);
  t.is((await call('POST', 'choices/', newChoice('f', 'a-b.c'))).status, 201);
  site.set({ choice_word_values: true });
  t.is((await call('POST', 'choices/', newChoice('f', 'd-e'))).status, 400);
  t.is((await call('POST', 'choices/', newChoice('f', 'd.e'))).status, 400);
  t.is((await call('POST', 'choices/', newChoice('f', 'D_e1'))).status, 201);
});
