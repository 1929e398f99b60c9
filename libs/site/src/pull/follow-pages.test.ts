import { fc, testProp } from '@fast-check/ava';
import { isRelayError } from '@ranger-relay/errors';
import { httpAnswer } from '@ranger-relay/http/testing';
import test from 'ava';
import { allOf, data, scriptedSite, siteRefusal, type Script } from '../test/scripted-site.ts';

const query = { since: 'a', page_size: '2' };

/** A list of rows that is paged in one of the ways, with a link as the site writes it. */
const list =
  (rows: readonly number[], name: 'cursor' | 'page' | 'offset', link: (search: string) => string): Script =>
  (_request, url) => {
    const at = url.searchParams.get(name);
    const from = name === 'page' ? (Number(at ?? '1') - 1) * 2 : Number(at ?? '0');
    const next = new URLSearchParams(url.searchParams);
    next.set(name, String(name === 'page' ? from / 2 + 2 : from + 2));
    const more = from + 2 < rows.length;
    return data({ next: more ? link(`?${next}`) : null, previous: null, results: rows.slice(from, from + 2) });
  };

const links = {
  'of its own': (search: string) => `https://site.example/api/v1.0/x${search}`,
  'of another host': (search: string) => `http://backend.internal:8000/elsewhere${search}`,
  'without a host': (search: string) => `/api/v1.0/x${search}`,
  'with nothing else': (search: string) => search,
};
for (const name of ['cursor', 'page', 'offset'] as const)
  for (const [what, link] of Object.entries(links))
    test(`a list is read to its end by ${name}, with links ${what}`, async (t) => {
      const { reader, requests } = scriptedSite(list([1, 2, 3, 4, 5], name, link));
      t.deepEqual(await allOf(reader.pages('x', query)), [1, 2, 3, 4, 5]);
      t.is(requests.length, 3);
      for (const { url } of requests) t.true(url.startsWith('https://site.example/api/v1.0/x?since=a&'), url);
    });

test('what the site forgets to repeat is asked for all the same', async (t) => {
  const { reader, requests } = scriptedSite((_request, url) =>
    data({ next: url.searchParams.has('cursor') ? null : '?cursor=abc', results: [1] }),
  );
  await allOf(reader.pages('x', query));
  t.deepEqual(Object.fromEntries(new URL(requests[1]?.url ?? '').searchParams), { ...query, cursor: 'abc' });
});

test('a list that is not paged is one page', async (t) => {
  t.deepEqual(await allOf(scriptedSite(() => data([1, 2])).reader.pages('x')), [1, 2]);
  t.deepEqual(await allOf(scriptedSite(() => httpAnswer(200, [1, 2])).reader.pages('x')), [1, 2]);
});

test('pages that repeat themselves end in an error, never in a loop and never as an end', async (t) => {
  for (const size of [1, 3]) {
    let page = 0;
    const { reader, requests } = scriptedSite(() => data({ next: `?page=${((page += 1) % size) + 2}`, results: [1] }));
    t.true(isRelayError(await t.throwsAsync(allOf(reader.pages('x'))), 'site_answer_unreadable'));
    t.true(requests.length <= size + 2);
  }
});

test('what is no list at all is an error', async (t) => {
  for (const payload of [{}, 'text', 7, { results: 'x' }, null])
    t.true(
      isRelayError(
        await t.throwsAsync(allOf(scriptedSite(() => data(payload)).reader.pages('x'))),
        'site_answer_unreadable',
      ),
    );
});

const gone =
  (name: string, body: unknown = { status: { code: 404, detail: 'Invalid page.' } }): Script =>
  (_request, url) =>
    url.searchParams.has(name) ? httpAnswer(404, body) : data({ next: `?${name}=2`, results: [1] });

test('a numbered page behind the end is the end; a cursor or offset that is gone is not', async (t) => {
  t.deepEqual(await allOf(scriptedSite(gone('page')).reader.pages('x')), [1]);
  const gateway = await t.throwsAsync(allOf(scriptedSite(gone('page', '<h1>Not found</h1>')).reader.pages('x')));
  t.true(isRelayError(gateway, 'site_unavailable'));
  for (const name of ['cursor', 'offset']) {
    const error = await t.throwsAsync(allOf(scriptedSite(gone(name)).reader.pages('x')));
    t.true(isRelayError(error, 'site_unavailable'), name);
  }
  const first = await t.throwsAsync(allOf(scriptedSite(() => siteRefusal(404)).reader.pages('x', { page: '1' })));
  t.true(isRelayError(first, 'site_not_found'));
});

test('a page that is refused half-way is refused', async (t) => {
  const { reader } = scriptedSite((_request, url) =>
    url.searchParams.has('page') ? siteRefusal(400) : data({ next: '?page=2', results: [1] }),
  );
  t.true(isRelayError(await t.throwsAsync(allOf(reader.pages('x'))), 'site_refused'));
});

test('one page tells what leads on and the site’s own time, whatever else stands in the link', async (t) => {
  const date = 'Sun, 11 Jan 2026 06:00:00 GMT';
  const { reader, requests } = scriptedSite(() =>
    httpAnswer(200, { next: 'http://inside.invalid/x?secret=1&cursor=a%2Bb', results: [1] }, { headers: { date } }),
  );
  t.deepEqual(await reader.page('x', query), { rows: [1], next: { cursor: 'a+b' }, siteTime: Date.parse(date) });
  await reader.page('x', { ...query, cursor: 'a+b' });
  t.deepEqual(Object.fromEntries(new URL(requests[1]?.url ?? '').searchParams), { ...query, cursor: 'a+b' });
  const bare = scriptedSite(() => httpAnswer(200, [1]));
  t.deepEqual(await bare.reader.page('x', query), { rows: [1], next: null, siteTime: undefined });
  const strange = scriptedSite(() => data({ next: '?elsewhere=1', results: [] }));
  t.true(isRelayError(await t.throwsAsync(strange.reader.page('x', query)), 'site_answer_unreadable'));
});

test('nothing is asked for before it is wanted', async (t) => {
  const { reader, requests } = scriptedSite(list([1, 2, 3, 4], 'page', links['of its own']));
  const pages = reader.pages('x', query)[Symbol.asyncIterator]();
  t.is(requests.length, 0);
  await pages.next();
  t.is(requests.length, 1);
});

testProp(
  'pages make up the list, whatever its length and its way of paging',
  [fc.nat(40), fc.constantFrom('cursor' as const, 'page' as const, 'offset' as const)],
  async (t, count, name) => {
    const rows = Array.from({ length: count }, (_, n) => n);
    const { reader, requests } = scriptedSite(list(rows, name, links['of another host']));
    t.deepEqual(await allOf(reader.pages('x', query)), rows);
    t.is(requests.length, Math.max(1, Math.ceil(count / 2)));
  },
);
