import test from 'ava';
import { rowsOf, startSiteHarness, type SiteHarness } from '../../test/site.ts';

interface Page {
  readonly count: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: readonly unknown[];
}

const choices = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ field: 'f', value: `v${n}`, ordernum: n % 30_000 }));

const pageOf = async ({ get }: SiteHarness, query: string): Promise<Page> =>
  (await get(`choices/?${query}`)).data as Page;

test('a page has 25 rows unless asked otherwise, and links to its neighbours', async (t) => {
  const harness = await startSiteHarness(t, { state: { choices: choices(60) } });
  const first = await pageOf(harness, 'field=f&model=activity.event');
  t.is(first.results.length, 25);
  t.is(first.count, 60);
  t.is(first.previous, null);
  t.is(first.next, `${harness.site.url}/api/v1.0/choices/?field=f&model=activity.event&page=2`);
  const third = await pageOf(harness, 'field=f&page=3&page_size=25');
  t.is(third.results.length, 10);
  t.is(third.next, null);
  t.regex(String(third.previous), /page=2/);
});

test('pages are cut to 4000 rows without a word', async (t) => {
  const harness = await startSiteHarness(t, { state: { choices: choices(4_001) } });
  t.is((await pageOf(harness, 'page_size=9000')).results.length, 4_000);
  t.regex(String((await pageOf(harness, 'page_size=9000')).next), /page=2/);
  t.is((await pageOf(harness, 'page_size=9000&page=2')).results.length, 1);
});

test('the next link may have http and no port, or another host', async (t) => {
  const harness = await startSiteHarness(t, { state: { choices: choices(30) } });
  harness.site.set({ next_link: 'http' });
  t.is((await pageOf(harness, 'page_size=10')).next, 'http://127.0.0.1/api/v1.0/choices/?page_size=10&page=2');
  harness.site.set({ next_link: 'other_host' });
  t.is(
    (await pageOf(harness, 'page_size=10')).next,
    'http://backend.internal:8000/api/v1.0/choices/?page_size=10&page=2',
  );
});

test('a page behind the last one is 404, and so is one that is no number', async (t) => {
  const { get } = await startSiteHarness(t, { state: { choices: choices(3) } });
  for (const page of ['2', '0', '-1', 'x']) t.is((await get(`choices/?page=${page}`)).status, 404, page);
  t.is((await get('choices/?page=1')).status, 200);
});

test('types and groups are never paged; subjects and members only with page_size', async (t) => {
  const subjects = Array.from({ length: 30 }, (_, n) => ({ id: `s${n}`, name: `S${n}` }));
  const group = { id: 'g', name: 'G', subjects: subjects.map(({ id }) => id) };
  const types = Array.from({ length: 30 }, (_, n) => ({ value: `t${n}` }));
  const { get } = await startSiteHarness(t, { state: { subjects, types, groups: [group] } });
  for (const path of ['activity/patrols/types/', 'subjectgroups/']) {
    t.true(Array.isArray((await get(path)).data), path);
    t.true(Array.isArray((await get(`${path}?page_size=10`)).data), path);
  }
  for (const path of ['subjects/', 'subjectgroup/g/subjects/']) {
    t.is(rowsOf(await get(path)).length, 30, path);
    t.is(rowsOf(await get(`${path}?page_size=10`)).length, 10, path);
    t.like((await get(`${path}?page_size=10&page=3`)).data, { count: 30, next: null }, path);
  }
});

test('subjects have no largest page', async (t) => {
  const subjects = Array.from({ length: 4_500 }, (_, n) => ({ name: `S${n}` }));
  const { get } = await startSiteHarness(t, { state: { subjects } });
  t.is(rowsOf(await get('subjects/?page_size=9000')).length, 4_500);
});

test('the last slash and `Accept` may be left out, and booleans have any spelling', async (t) => {
  const { site, get } = await startSiteHarness(t);
  site.seed({
    types: [{ value: 'foot' }],
    subjects: [{ id: 's1', name: 'S', is_active: false }],
    choices: [{ field: 'f', value: 'v' }],
  });
  const paths = ['status', 'choices', 'subjects', 'activity/patrols/types', 'activity/patrols/types/foot', 'user/me'];
  const further = ['activity/patrols/segments/types/default', 'activity/patrols/config/default', 'subjectgroups'];
  for (const path of [...paths, ...further]) {
    const bare = await get(path, { headers: { accept: '' } });
    t.deepEqual([bare.status, bare.text], [200, (await get(`${path}/`)).text], path);
  }
  for (const value of ['true', 'True']) t.is(rowsOf(await get(`subjects?include_inactive=${value}`)).length, 1);
  t.is(rowsOf(await get('subjects?include_inactive=False')).length, 0);
});
