import test, { type ExecutionContext } from 'ava';
import { rowsOf, startSiteHarness } from '../../test/site.ts';

const provider = { provider_key: 'ext_patrol_import', display_name: 'Import', additional: {} };
const device = { manufacturer_id: 'ext:1', provider: 'ext_patrol_import', additional: { ext_member_id: '1' } };

/** A site with one subject and a source of the import. */
const openSite = async (t: ExecutionContext) => {
  const harness = await startSiteHarness(t);
  harness.site.seed({ subjects: [{ name: 'Member' }] });
  const { call } = harness;
  t.is((await call('POST', 'sourceproviders', provider)).status, 201);
  const { id: source } = (await call('POST', 'sources', device)).data as { id: string };
  return { ...harness, source, subject: harness.site.state().subjects[0]?.id ?? '' };
};

test('providers and sources are found after they were created; their `additional` is required', async (t) => {
  const { call, get, source } = await openSite(t);
  t.like(rowsOf(await get('sourceproviders'))[0], provider);
  const found = async (query: string) => rowsOf(await get(`sources?${query}`)).map(({ id }) => id);
  t.deepEqual(await found('manufacturer_id=ext:1&provider=ext_patrol_import'), [source]);
  t.deepEqual(await found('manufacturer_id=ext:2&provider=ext_patrol_import'), []);
  t.is((await call('POST', 'sourceproviders', { provider_key: 'b', display_name: 'B' })).status, 400);
  t.is((await call('POST', 'sourceproviders', provider)).status, 400);
  t.is((await call('POST', 'sources', { ...device, additional: undefined })).status, 400);
  t.is((await call('POST', 'sources', { ...device, provider: 'nobody' })).status, 400);
});

test('a source is given to a subject for a time; the same time again is the same assignment', async (t) => {
  const { call, source, subject, site } = await openSite(t);
  const give = (upper: string) =>
    call('POST', `subject/${subject}/sources`, { source, assigned_range: { lower: '2024-03-02T00:00:00Z', upper } });
  const first = await give('2024-03-03T00:00:00Z');
  t.is(first.status, 201);
  t.deepEqual((await give('2024-03-03T00:00:00Z')).data, first.data);
  t.is((await give('2024-03-04T00:00:00Z')).status, 201);
  t.is(site.state().subjectSources.length, 2);
});

test('observations are added in lists; those the site has are passed over, and only old ones are 409', async (t) => {
  const { call, source, site } = await openSite(t);
  const fix = (second: number) => ({
    source,
    recorded_at: `2024-03-02T06:00:${String(second).padStart(2, '0')}Z`,
    location: { latitude: -1, longitude: 36 },
  });
  t.is((await call('POST', 'observations', [fix(1), fix(2), fix(2)])).status, 201);
  t.is((await call('POST', 'observations', [fix(2), fix(3)])).status, 201);
  t.is(site.state().observations.length, 3);
  t.is((await call('POST', 'observations', [fix(1), fix(3)])).status, 409);
  t.is((await call('POST', 'observations', [fix(4), { ...fix(5), source: 'x' }])).status, 400);
  t.is(
    (
      await call(
        'POST',
        'observations',
        Array.from({ length: 1_001 }, () => fix(6)),
      )
    ).status,
    400,
  );
  t.is(site.state().observations.length, 3);
});
