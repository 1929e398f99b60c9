import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { pageOfRows, rowsOf, wholeList, type PageCall, type Ordered } from './paging.ts';
import { switchValues, defaultSwitches, type SiteSwitches } from '../switches.ts';

interface Page {
  readonly count?: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: readonly number[];
}

const path = '/api/v1.0/observations';
const bodyOf = (answer: { readonly body?: string }): { readonly data: unknown } =>
  JSON.parse(answer.body ?? '') as { data: unknown };

const callOf = (query: string | URLSearchParams, switches: Partial<SiteSwitches> = {}): PageCall => ({
  path,
  query: new URLSearchParams(query),
  host: 'site.test:8080',
  switches: { ...defaultSwitches, ...switches },
});

const numbers = (count: number): Ordered<number> => ({
  rows: rowsOf(Array.from({ length: count }, (_, n) => n)),
  placeOf: (n) => [n, ''],
});

const ask = (count: number, query: string | URLSearchParams = '', switches: Partial<SiteSwitches> = {}) => {
  const answer = pageOfRows(numbers(count), callOf(query, switches));
  return { status: answer.status, page: bodyOf(answer).data as Page };
};

test('a page has 25 rows unless asked otherwise, with how many there are and links to its neighbours', (t) => {
  const [first, second, third] = ['', 'page=2', 'page=3'].map((query) => ask(60, query).page);
  t.deepEqual(
    [first, second, third].map((page) => page?.results.length),
    [25, 25, 10],
  );
  t.like(first, { count: 60, previous: null, next: `http://site.test:8080${path}?page=2` });
  t.like(second, {
    next: `http://site.test:8080${path}?page=3`,
    previous: `http://site.test:8080${path}?page=1`,
  });
  t.like(third, { next: null, previous: `http://site.test:8080${path}?page=2` });
  t.is(third?.results[0], 50);
});

for (const [query, rows] of [
  ['page_size=100', 100],
  ['page_size=1', 1],
  ['page_size=4000', 4_000],
  ['page_size=4001', 4_000],
  ['page_size=999999999', 4_000],
  ['page_size=0', 25],
  ['page_size=-1', 25],
  ['page_size=1.5', 25],
  ['page_size=x', 25],
  ['page_size=', 25],
] as const)
  test(`${query} of 5000 rows: a page of ${rows}, without a word`, (t) => {
    const { status, page } = ask(5_000, query);
    t.deepEqual([status, page.results.length], [200, rows]);
  });

test('an empty list is one page without neighbours', (t) => {
  t.deepEqual(ask(0).page, { count: 0, next: null, previous: null, results: [] });
  t.is(ask(0, 'page=1').status, 200);
});

for (const query of [
  'page=4',
  'page=0',
  'page=-1',
  'page=1.5',
  'page=x',
  'page=',
  'page=9999999999',
  'offset=60',
  'offset=-1',
  'offset=x',
  'cursor=mine',
  'cursor=',
  `cursor=${Buffer.from('p=60').toString('base64url')}`,
])
  test(`${query} of 60 rows is 404, in the form of errors`, (t) => {
    const { status, body } = pageOfRows(numbers(60), callOf(query));
    t.is(status, 404);
    t.like((JSON.parse(body ?? '') as { status: object }).status, { code: 404 });
  });

for (const [next_link, link] of [
  ['own', `http://site.test:8080${path}?since=a%26b&page_size=10&page=2`],
  ['http', `http://site.test${path}?since=a%26b&page_size=10&page=2`],
  ['other_host', `http://backend.internal:8000${path}?since=a%26b&page_size=10&page=2`],
  ['query_only', '?page=2'],
] as const)
  test(`the link to the next page can be: ${next_link}`, (t) => {
    t.is(ask(30, 'since=a%26b&page_size=10', { next_link }).page.next, link);
  });

test('a cursor is given only to who asks for it, and then without the count', (t) => {
  t.regex(String(ask(60, '', { paging: 'cursor' }).page.next), /\?page=2$/);
  const { page } = ask(60, 'use_cursor=true', { paging: 'cursor' });
  t.regex(String(page.next), /cursor=/);
  t.false('count' in page);
});

test('a list without an end begins again behind its last page', (t) => {
  const { page } = ask(60, 'page=3', { endless: true });
  t.is(page.results.length, 10);
  t.regex(String(page.next), /page=1$/);
});

/** All that following `next` brings, or undefined when a page is asked for twice. */
const followed = (list: Ordered<number>, size: number, switches: Partial<SiteSwitches>): number[] | undefined => {
  const rows: number[] = [];
  const asked = new Set<string>();
  let query = `page_size=${size}&use_cursor=true`;
  for (;;) {
    if (asked.has(query)) return undefined;
    asked.add(query);
    const { data } = bodyOf(pageOfRows(list, callOf(query, switches)));
    const page = data as Page;
    rows.push(...page.results);
    if (page.next === null) return rows;
    query = new URL(page.next).search.slice(1);
  }
};

/** Rows by number, so many of each key. */
const sharing = (count: number, together: number): Ordered<number> => ({
  rows: rowsOf(Array.from({ length: count }, (_, n) => n)),
  placeOf: (n) => [Math.floor(n / together), String(n)],
});

/** The first page of 40 rows of one key. */
const first = (query: string): Page => bodyOf(pageOfRows(sharing(40, 40), callOf(query))).data as Page;

test('rows of one key come in another order for each query, so pages that end among them repeat some and leave out as many', (t) => {
  t.deepEqual(first('page_size=40').results, first('page_size=40').results);
  t.notDeepEqual(first('page_size=40').results, first('page_size=40&since=x').results);
  for (const paging of switchValues.paging) {
    const rows = followed(sharing(600, 150), 100, { paging }) ?? [];
    t.is(rows.length, 600, paging);
    t.true(new Set(rows).size < 600, paging);
    t.is(new Set(followed(sharing(600, 150), 100, { paging, equal_keys: 'by_id' })).size, 600, paging);
    t.deepEqual(
      followed(sharing(600, 100), 100, { paging })?.toSorted((a, b) => a - b),
      followed(numbers(600), 100, {}),
    );
  }
});

test('a cursor gets no further than 1,100 rows into one key', (t) => {
  t.is(followed(sharing(1_100, 2_000), 100, {})?.length, 1_100);
  t.is(followed(sharing(1_101, 2_000), 100, {}), undefined);
});

testProp(
  'the pages of a list make up the list, forwards by next and backwards by previous, in every form',
  [
    fc.nat(120),
    fc.integer({ min: 1, max: 50 }),
    fc.constantFrom(...switchValues.paging),
    fc.constantFrom('own', 'http', 'other_host'),
  ],
  (t, count, size, paging, next_link) => {
    const walk = (from: URLSearchParams, way: 'next' | 'previous'): { pages: Page[]; last: URLSearchParams } => {
      const pages: Page[] = [];
      for (let query = from; ;) {
        const { status, page } = ask(count, query, { paging, next_link });
        t.is(status, 200);
        pages.push(page);
        const link = page[way];
        if (link === null) return { pages, last: query };
        query = new URL(link).searchParams;
      }
    };
    const there = walk(new URLSearchParams({ page_size: String(size), use_cursor: 'true' }), 'next');
    const rows = there.pages.flatMap(({ results }) => results);
    t.deepEqual(
      rows,
      Array.from({ length: count }, (_, n) => n),
    );
    const back = walk(there.last, 'previous');
    t.deepEqual(
      back.pages.toReversed().flatMap(({ results }) => results),
      rows,
    );
  },
);

test('a list that a site gives whole comes bare, or as the one page that it is', (t) => {
  const rows = Array.from({ length: 30 }, (_, n) => n);
  t.deepEqual(bodyOf(wholeList(rows, { ...defaultSwitches, lists: 'bare' })).data, rows);
  const { data } = bodyOf(wholeList(rows, { ...defaultSwitches, lists: 'paged' }));
  t.deepEqual(data, { count: 30, next: null, previous: null, results: rows });
});
