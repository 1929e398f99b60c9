import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { calls, data, fakeSite, page, plain } from '../test/fake-site.ts';

const row = (id: string, more: object = {}) => ({
  id,
  model: 'activity.event',
  field: 'patrol_mandate',
  value: id,
  display: id.toUpperCase(),
  ordernum: null,
  icon: '',
  is_active: true,
  ...more,
});

test('all options of one field are asked for, inactive ones too', async (t) => {
  const { site, asked } = await fakeSite(t, page([row('a'), row('b', { is_active: false })]));
  t.deepEqual(await site.choices('patrol_mandate'), [
    { id: 'a', field: 'patrol_mandate', value: 'a', display: 'A', is_active: true },
    { id: 'b', field: 'patrol_mandate', value: 'b', display: 'B', is_active: false },
  ]);
  t.deepEqual(Object.fromEntries(asked[0]?.query ?? []), {
    model: 'activity.event',
    field: 'patrol_mandate',
    include_inactive: 'true',
    page_size: '4000',
  });
});

test('options of other fields and models are passed over, whatever they look like', async (t) => {
  const others = [
    row('b', { field: 'Patrol_Mandate' }),
    row('c', { model: 'activity.eventtype' }),
    row('d', { field: 'x', value: null, display: 7 }),
    'odd',
  ];
  const { site } = await fakeSite(t, page([row('a'), ...others]));
  t.deepEqual(
    (await site.choices('patrol_mandate')).map(({ id }) => id),
    ['a'],
  );
});

test('a field that nobody has used is empty, refused or not', async (t) => {
  const refusal = { field: ['"x" is not one of the available choices.'], status: { code: 400 } };
  const { site } = await fakeSite(t, [plain(400, refusal), page([])]);
  t.deepEqual(await site.choices('x'), []);
  t.deepEqual(await site.choices('x'), []);
});

test('another refusal of the list is one, and so is this one of a write', async (t) => {
  const { site } = await fakeSite(t, [
    plain(400, { model: ['No.'] }),
    plain(400, { field: ['"x" is not one of the available choices.'] }),
  ]);
  t.true(isRelayError(await t.throwsAsync(site.choices('x')), 'site_refused'));
  const choice = { field: 'x', value: 'v', display: 'd', is_active: true, ordernum: 0 };
  t.true(isRelayError(await t.throwsAsync(site.createChoice(choice)), 'site_refused'));
});

test('a patch carries the changes alone', async (t) => {
  const { site, asked } = await fakeSite(t, data(row('a')));
  await site.patchChoice({ id: 'a b', field: 'x', value: 'v', display: 'd', is_active: true }, { is_active: false });
  t.deepEqual(calls(asked), ['PATCH choices/a%20b/']);
  t.deepEqual(asked[0]?.body, { is_active: false });
});
