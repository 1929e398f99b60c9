import { fc, testProp } from '@fast-check/ava';
import { type ErrorCode, isRelayError, RelayError } from '@ranger-relay/errors';
import { httpAnswer } from '@ranger-relay/http/testing';
import { seededRandom } from '@ranger-relay/runtime/testing';
import test from 'ava';
import type { PlatformApi } from './api.ts';
import { listIntegrations } from './integrations.ts';
import { type ListAnswer, readListAnswer } from './list-answer.ts';
import { wholeIntegration } from './test/platform-answers.ts';

const apiOf = (pages: Record<string, unknown>): PlatformApi & { paths: string[] } => {
  const paths: string[] = [];
  return {
    paths,
    get: (path) => {
      paths.push(path);
      return Promise.resolve(pages[new URL(path, 'https://x.example').searchParams.get('page') ?? '1']);
    },
  };
};

const named = (id: string, value = 'device_connector', more = {}) => wholeIntegration({ id, type: { value }, ...more });

test('every page is read, by the query of `next` alone', async (t) => {
  const api = apiOf({
    1: { next: 'http://inner.local:8000/other/?page=2&search=device_connector', results: [named('a'), named('b')] },
    2: { next: '/v2/integrations/?page=3', results: [named('c')] },
    3: { next: null, results: [] },
  });
  t.deepEqual(
    (await listIntegrations(api, 'device_connector')).map(({ id }) => id),
    ['a', 'b', 'c'],
  );
  t.deepEqual(api.paths, [
    '/v2/integrations/?search=device_connector&search_fields=type__value&enabled=true',
    '/v2/integrations/?page=2&search=device_connector',
    '/v2/integrations/?page=3',
  ]);
});

test('integrations without an order, another one for each page, are all listed', async (t) => {
  const ids = Array.from({ length: 90 }, (_, n) => `id-${n}`);
  const random = seededRandom(3);
  const api: PlatformApi = {
    get(path) {
      const page = Number(new URL(path, 'https://x.example').searchParams.get('page') ?? '1');
      const chances = new Map(ids.map((id) => [id, random.next()]));
      const rows = ids
        .toSorted((a, b) => (chances.get(a) ?? 0) - (chances.get(b) ?? 0))
        .slice(page * 20 - 20, page * 20);
      return Promise.resolve({ next: page < 5 ? `?page=${page + 1}` : null, results: rows.map((id) => named(id)) });
    },
  };
  t.is((await listIntegrations(api, 'device_connector')).length, ids.length);
});

test('other types whose name holds the word, disabled and unreadable ones are left out', async (t) => {
  const results = [
    named('a'),
    named('b', 'old_device_connector'),
    named('c', 'device_connector', { enabled: false }),
    null,
    {},
  ];
  t.deepEqual(
    (await listIntegrations(apiOf({ 1: { next: null, results } }), 'device_connector')).map(({ id }) => id),
    ['a'],
  );
});

test('the settings of actions are not in the list', async (t) => {
  const [first] = await listIntegrations(apiOf({ 1: { next: null, results: [named('a')] } }), 'device_connector');
  t.false(first !== undefined && 'configurations' in first);
});

test('pages that lead in a circle, are none, or are gone end in a transient failure', async (t) => {
  const circle = { next: '?page=1', results: [] };
  for (const pages of [{ 1: circle }, { 1: { results: 'x' } }, {}, { 1: [] }] as Record<string, unknown>[])
    t.true(isRelayError(await t.throwsAsync(listIntegrations(apiOf(pages), 'x')), 'platform_unavailable'));
});

const read = (status: number, body: unknown = '', count = 2, retryAfterMs?: number): ListAnswer | RelayError => {
  try {
    return readListAnswer(httpAnswer(status, body, { retryAfterMs }), { integrationId: 'park', count });
  } catch (error) {
    if (error instanceof RelayError) return error;
    throw error;
  }
};

const codeOf = (result: ListAnswer | RelayError): string => (result instanceof RelayError ? result.code : result.kind);

test('200 or 201 with an object id for each entry is accepted', (t) => {
  for (const status of [200, 201])
    t.deepEqual(read(status, [{ object_id: 'a' }, { object_id: 'b' }]), { kind: 'accepted', ids: ['a', 'b'] });
  t.deepEqual(read(200, { object_id: 'a' }, 1), { kind: 'accepted', ids: ['a'] });
});

test('an entry without an object id is not acknowledged', (t) => {
  for (const entry of [{}, null, 'b', { object_id: '' }, { object_id: 7 }, ['b']])
    t.deepEqual(read(200, [{ object_id: 'a' }, entry]), { kind: 'accepted', ids: ['a', undefined] });
});

const pages = [
  '',
  '[{"object_id":',
  '<html>welcome</html>',
  { message: 'Under maintenance' },
  { status: 'ok' },
  [],
  [{ object_id: 'a' }],
  [{ object_id: 'a' }, { object_id: 'b' }, { object_id: 'c' }],
  [{}, {}],
  'null',
  '7',
];

test('a 200 that does not acknowledge the list may have stored it: transient and ambiguous', (t) => {
  for (const body of pages) {
    const result = read(200, body) as RelayError;
    t.is(codeOf(result), 'platform_unavailable', JSON.stringify(body));
    t.true(result.ambiguous);
  }
});

test('any other 2xx accepts nothing, whatever it says', (t) => {
  for (const status of [202, 203, 204, 207, 299])
    for (const body of [...pages, [{ object_id: 'a' }, { object_id: 'b' }]]) {
      const result = read(status, body) as RelayError;
      t.is(codeOf(result), 'platform_unavailable', `${status} ${JSON.stringify(body)}`);
      t.true(result.ambiguous);
    }
});

test('400 with an entry per item names the offenders', (t) => {
  t.deepEqual(read(400, [{}, { location: ['bad'] }]), {
    kind: 'refused',
    offenders: [{ index: 1, reason: '{"location":["bad"]}' }],
  });
  t.deepEqual(read(400, ['bad', null, '', [], ['x']], 5), {
    kind: 'refused',
    offenders: [
      { index: 0, reason: '"bad"' },
      { index: 4, reason: '["x"]' },
    ],
  });
});

test('400 that names fields, but no item, is for the caller to halve', (t) => {
  for (const body of [
    [{ location: ['bad'] }],
    { location: ['bad'] },
    { location: { lat: ['bad'] } },
    [{}, {}, { text: ['bad'] }],
  ])
    t.is(codeOf(read(400, body)), 'refused_list');
});

test('400 in another form is a gateway’s: nothing is refused', (t) => {
  for (const body of [
    [{}, {}],
    [],
    '',
    '<html>',
    'null',
    '7',
    {},
    { message: 'Bad request' },
    { detail: 'x' },
    ['bad'],
  ]) {
    const result = read(400, body) as RelayError;
    t.is(codeOf(result), 'platform_unavailable', JSON.stringify(body));
    t.true(result.ambiguous);
  }
});

test('400 that names the API key, alone or on every item, is a refused key', (t) => {
  const one = { non_field_errors: ['This API Key has no integration'] };
  for (const body of [one, [one, one], [one], { non_field_errors: 'Invalid api_key' }]) {
    const result = read(400, body) as RelayError;
    t.is(result.code, 'api_key_refused');
    t.true(result.confined);
    t.false(result.ambiguous);
  }
});

test('an item that only mentions the words is an offender, not a refused key', (t) => {
  t.is(codeOf(read(400, [{ non_field_errors: ['API Key'] }, {}])), 'refused');
  t.is(codeOf(read(400, [{ text: ['API Key'] }, { text: ['API Key'] }])), 'refused');
  t.is(codeOf(read(400, { non_field_errors: ['the dates overlap'] })), 'refused_list');
});

test('reasons are bounded and hold no secrets', (t) => {
  const result = read(400, [{ token: 'c4n4ry', link: 'https://u:c4n4ry@h/?q=c4n4ry' }, { text: ['x'.repeat(5_000)] }]);
  t.is(codeOf(result), 'refused');
  t.false(JSON.stringify(result).includes('c4n4ry'));
  t.true(JSON.stringify(result).length < 700);
});

const table: [number, unknown, ErrorCode, boolean][] = [
  [401, { message: 'no' }, 'api_key_refused', false],
  [403, '<html>blocked</html>', 'api_key_refused', true],
  [404, { detail: 'Not found.' }, 'integration_gone', false],
  [404, {}, 'platform_unavailable', true],
  [404, { message: 'no Route matched with those values' }, 'platform_unavailable', true],
  [404, '<html>no backend</html>', 'platform_unavailable', true],
  [404, '', 'platform_unavailable', true],
  [405, '<html>', 'platform_unavailable', true],
  [408, '', 'platform_unavailable', true],
  [410, '', 'platform_unavailable', true],
  [413, '<html>', 'platform_unavailable', true],
  [422, { location: ['bad'] }, 'platform_unavailable', true],
  [429, '', 'platform_rate_limited', false],
  [500, '', 'platform_unavailable', true],
  [502, '<html>', 'platform_unavailable', true],
  [302, '', 'platform_unavailable', true],
];
for (const [status, body, code, ambiguous] of table)
  test(`${status} with ${JSON.stringify(body)} means ${code}`, (t) => {
    const result = read(status, body);
    t.is(codeOf(result), code);
    t.is(result instanceof RelayError && result.ambiguous, ambiguous);
  });

test('the wait that was asked for goes along', (t) => {
  t.is((read(429, '', 2, 9_000) as RelayError).retryAfterMs, 9_000);
  t.is((read(503, '', 2, 9_000) as RelayError).retryAfterMs, 9_000);
});

testProp(
  'every status and every body of every length has a meaning, and offenders are items of the list',
  [
    fc.integer({ min: 0, max: 700 }),
    fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((j) => `[${j},{},${j}]`),
    ),
    fc.integer({ min: 1, max: 100 }),
  ],
  (t, status, body, count) => {
    const result = read(status, body, count);
    if (result instanceof RelayError) {
      t.true(
        ['api_key_refused', 'integration_gone', 'platform_unavailable', 'platform_rate_limited'].includes(result.code),
      );
      t.true(result.message.length < 1_000);
      return;
    }
    if (result.kind === 'accepted') t.true(status === 200 || status === 201);
    if (result.kind !== 'accepted') t.is(status, 400);
    if (result.kind !== 'refused') return t.pass();
    t.true(result.offenders.length > 0 && result.offenders.length <= count);
    for (const { index, reason } of result.offenders) t.true(index >= 0 && index < count && reason.length <= 200);
  },
);

testProp(
  'nothing but 400 refuses an item for good',
  [fc.integer({ min: 0, max: 999 }), fc.string()],
  (t, status, body) => {
    fc.pre(status !== 400);
    const result = read(status, body);
    t.true(result instanceof RelayError ? result.next === 'retry' : result.kind === 'accepted');
  },
);
