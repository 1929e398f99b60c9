import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { calls, cut, data, fakeSite, page, plain } from '../test/fake-site.ts';

const hex = 'f1'.repeat(16);
const dashed = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
const fresh = { name: 'Ranger One', subject_subtype: 'ranger', is_active: true, additional: { ext_member_id: hex } };
const stored = { id: 's1', ...fresh, subject_type: 'person', tracks_available: false };

test('all subjects are asked for, inactive ones too, with all of their additional data', async (t) => {
  const additional = { ext_member_id: hex, deep: { list: [1, null] } };
  const { site, asked } = await fakeSite(
    t,
    page([
      { ...stored, additional },
      { id: 7, name: null, additional: null },
    ]),
  );
  t.deepEqual(await site.subjects(), [
    { id: 's1', ...fresh, additional },
    { id: '7', name: '', subject_subtype: '', is_active: true, additional: {} },
  ]);
  t.deepEqual(Object.fromEntries(asked[0]?.query ?? []), {
    include_inactive: 'true',
    render_last_location: 'false',
    page_size: '1000',
  });
});

test('subjects by id are those that were asked for, also where the site lists all, 100 a call', async (t) => {
  const { site, asked } = await fakeSite(t, page([stored, { ...stored, id: 's2' }, { ...stored, id: 'other' }]));
  const ids = ['s2', 's1', ...Array.from({ length: 99 }, (_, i) => `x${i}`)];
  t.deepEqual((await site.subjectsById(ids)).map(({ id }) => id).toSorted(), ['s1', 's2']);
  t.deepEqual(
    asked.map(({ query }) => query.get('id')?.split(',').length),
    [100, 1],
  );
  t.deepEqual(await site.subjectsById([]), []);
  t.is(asked.length, 2);
});

test('a subject whose answer was lost is recognised by its member id in any spelling', async (t) => {
  const others = [
    { ...stored, id: 's0', additional: { ext_member_id: 'f2' } },
    { ...stored, id: 's4', is_active: false, additional: { ext_member_id: hex } },
    { ...stored, id: 's3', additional: { ext_member_id: hex } },
    { ...stored, id: 's2', additional: { ext_member_id: dashed.toUpperCase(), ext_managed_by: 'x' } },
  ];
  const { site, asked } = await fakeSite(t, [cut, page(others)]);
  t.like(await site.createSubject(fresh), { record: { id: 's2' }, maybeTwice: false });
  t.deepEqual(calls(asked), ['POST subjects/', 'GET subjects/']);
  t.deepEqual(asked[0]?.body, fresh);
});

test('a subject that is not in the list is sent again, and may be there twice', async (t) => {
  const { site, asked } = await fakeSite(t, [cut, page([]), data(stored, 201)]);
  t.deepEqual(await site.createSubject(fresh), { record: { id: 's1', ...fresh }, maybeTwice: true });
  t.is(asked.length, 3);
});

test('changes and deletions go to the path of one subject', async (t) => {
  const deleted = plain(200, { data: null, status: { code: 204, message: 'No Content' } });
  const { site, asked } = await fakeSite(t, [data(stored), deleted, plain(204)]);
  await site.patchSubject({ id: 's1', ...fresh }, { additional: { a: 1 } });
  await site.deleteSubject('s1');
  await site.deleteSubject('s1');
  t.deepEqual(calls(asked), ['PATCH subject/s1/', 'DELETE subject/s1/', 'DELETE subject/s1/']);
  t.deepEqual(asked[0]?.body, { additional: { a: 1 } });
});

test('a subject that is gone was deleted when an answer was lost, else it is not there', async (t) => {
  const { site } = await fakeSite(t, [cut, plain(404), plain(404)]);
  await t.notThrowsAsync(site.deleteSubject('s1'));
  t.true(isRelayError(await t.throwsAsync(site.deleteSubject('s1')), 'site_not_found'));
});
