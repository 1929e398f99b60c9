import test from 'ava';
import { calls, data, fakeSite, page, plain } from '../test/fake-site.ts';

const hex = 'f1'.repeat(16);
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
  const read = await site.subjects();
  t.deepEqual(
    read.map(({ id, name, subject_subtype, is_active, additional }) => ({
      id,
      name,
      subject_subtype,
      is_active,
      additional,
    })),
    [
      { id: 's1', ...fresh, additional },
      { id: '7', name: '', subject_subtype: '', is_active: true, additional: {} },
    ],
  );
  t.deepEqual(Object.fromEntries(asked[0]?.query ?? []), {
    include_inactive: 'true',
    render_last_location: 'false',
    page_size: '100000',
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

test('changes and deletions go to the path of one subject', async (t) => {
  const deleted = plain(200, { data: null, status: { code: 204, message: 'No Content' } });
  const { site, asked } = await fakeSite(t, [data(stored), deleted, plain(204)]);
  await site.patchSubject({ id: 's1', ...fresh }, { additional: { a: 1 } });
  await site.deleteSubject('s1');
  await site.deleteSubject('s1');
  t.deepEqual(calls(asked), ['PATCH subject/s1/', 'DELETE subject/s1/', 'DELETE subject/s1/']);
  t.deepEqual(asked[0]?.body, { additional: { a: 1 } });
});

test('the subjects of a group are asked for by its id, inactive ones too', async (t) => {
  const { site, asked } = await fakeSite(t, page([{ id: 's1', ...fresh }]));
  t.is((await site.subjectsOfGroup('g 1'))[0]?.id, 's1');
  t.is(asked[0]?.query.get('subject_group'), 'g 1');
  t.is(asked[0]?.query.get('include_inactive'), 'true');
});
