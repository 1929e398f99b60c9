import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import type { PlatformApi } from './api.ts';
import { listIntegrations } from './list.ts';
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
    2: { next: '/v2/integrations/?page=3', results: [named('b'), named('c')] },
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
