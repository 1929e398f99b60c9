import test from 'ava';
import { bodyOf, first, startHarness, type Harness } from '../test/harness.ts';

interface Shown {
  id: string;
  enabled: boolean;
  type: { value: string };
  configurations: { integration: string; action: { value: string }; data: unknown }[];
  webhook_configuration: { webhook: { value: string }; data: unknown } | null;
}
interface List {
  next: string | null;
  previous: string | null;
  results: Shown[];
}

test('an integration shows its type, its configurations and its webhook configuration', async (t) => {
  const harness = await startHarness(t);
  const configurations = { auth: { username: 'ops' } };
  harness.platform.integrations.put({
    id: first,
    configurations,
    webhook_data: { include_messages: true },
    enabled: false,
  });
  const reply = await harness.call('GET', `/v2/integrations/${first}/`, { headers: await harness.bearer() });
  const shown = bodyOf<Shown>(reply);
  t.like(shown, { id: first, enabled: false, type: { value: 'device_connector' } });
  t.like(shown.configurations[0], { integration: first, action: { value: 'auth' }, data: { username: 'ops' } });
  t.like(shown.webhook_configuration, {
    webhook: { value: 'device_connector_webhook' },
    data: { include_messages: true },
  });
});

test('an integration has every member that a client of the platform reads, and is found in both spellings of its id', async (t) => {
  const harness = await startHarness(t);
  const id = 'ffffffff-fe05-4164-b03d-206cd50fd15a';
  harness.platform.integrations.put({ id: id.toUpperCase(), name: 'Park' });
  const headers = await harness.bearer();
  for (const spelled of [id, id.toUpperCase()]) {
    const shown = bodyOf<Shown>(await harness.call('GET', `/v2/integrations/${spelled}/`, { headers }));
    t.like(shown, {
      id,
      owner: { name: 'Simulated owner', description: '' },
      status: 'healthy',
      status_details: '',
      additional: {},
      default_route: { name: 'Park - Default Route' },
      type: { name: 'device_connector', description: '' },
      webhook_configuration: { integration: id, webhook: { name: 'device_connector_webhook' } },
    });
    t.is((await harness.call('GET', `/v2/integrations/${spelled}/api-key/`, { headers })).status, 200);
  }
});

test('a webhook configuration can be missing', async (t) => {
  const harness = await startHarness(t);
  harness.platform.integrations.put({ id: first, webhook_data: null });
  const reply = await harness.call('GET', `/v2/integrations/${first}/`, { headers: await harness.bearer() });
  t.is(bodyOf<Shown>(reply).webhook_configuration, null);
});

test('a registered action gets an empty configuration', async (t) => {
  const harness = await startHarness(t);
  harness.platform.types.register({ value: 'device_connector', actions: [{ type: 'auth', value: 'auth' }] });
  const reply = await harness.call('GET', `/v2/integrations/${first}/`, { headers: await harness.bearer() });
  t.like(bodyOf<Shown>(reply).configurations[0], { action: { type: 'auth', value: 'auth' }, data: {} });
});

test('an unknown, deleted or hidden integration is not found, and neither is its key', async (t) => {
  const harness = await startHarness(t);
  const headers = await harness.bearer();
  harness.platform.integrations.put({ id: 'hidden', hidden: true });
  harness.platform.integrations.delete(first);
  for (const id of ['unknown', 'hidden', first])
    for (const tail of ['', 'api-key/']) {
      const reply = await harness.call('GET', `/v2/integrations/${id}/${tail}`, { headers });
      t.is(reply.status, 404);
      t.deepEqual(bodyOf(reply), { detail: 'Not found.' });
    }
});

test('key calls are counted', async (t) => {
  const harness = await startHarness(t);
  const headers = await harness.bearer();
  const reply = await harness.call('GET', `/v2/integrations/${first}/api-key/`, { headers });
  t.deepEqual(bodyOf(reply), { api_key: 'key-1' });
  await harness.call('GET', `/v2/integrations/${first}/api-key/`, { headers });
  t.is(harness.platform.stats().calls['api_key'], 2);
});

test('lists come 20 a page, without an order, and only the query of `next` leads on', async (t) => {
  const harness = await startHarness(t);
  for (let n = 0; n < 43; n += 1) harness.platform.integrations.put({ id: `more-${n}` });
  const headers = await harness.bearer();
  const ids = new Set<string>();
  const sizes: number[] = [];
  for (let path: string | null = '/v2/integrations/?search=device&search_fields=type__value'; path !== null;) {
    const page: List = bodyOf<List>(await harness.call('GET', path, { headers }));
    sizes.push(page.results.length);
    for (const { id } of page.results) ids.add(id);
    const next: URL | undefined = page.next === null ? undefined : new URL(page.next);
    t.not(next?.origin, harness.platform.url);
    path = next ? `/v2/integrations/${next.search}` : null;
  }
  t.deepEqual(sizes, [20, 20, 5]);
  t.true(ids.size < 45, 'some come again on another page');
  t.is((await harness.call('GET', '/v2/integrations/?page=9', { headers })).status, 404);
});

test('the search matches any part of a slug, and enabled filters', async (t) => {
  const harness = await startHarness(t);
  harness.platform.integrations.put({ id: 'other', type: 'my_device_connector_two' });
  harness.platform.integrations.put({ id: 'site', type: 'site_connector' });
  harness.platform.integrations.put({ id: first, enabled: false });
  const headers = await harness.bearer();
  const ask = async (query: string): Promise<string[]> =>
    bodyOf<List>(await harness.call('GET', `/v2/integrations/?${query}`, { headers })).results.map(({ id }) => id);
  t.deepEqual((await ask('search=device_connector&enabled=true')).includes('other'), true);
  t.false((await ask('search=device_connector&enabled=true')).includes(first));
  t.deepEqual(await ask('search=site_connector'), ['site']);
});

test('paths without their final slash are not there', async (t) => {
  const harness = await startHarness(t);
  const headers = await harness.bearer();
  t.is((await harness.call('GET', `/v2/integrations/${first}`, { headers })).status, 404);
  t.is((await harness.post('/v2/observations', [])).status, 404);
  t.is(harness.platform.stats().calls['unknown'], 2);
});

const action = { type: 'pull', value: 'pull_events', name: 'Pull', schema: { type: 'object', definitions: {} } };

const register = async (harness: Harness, body: unknown) =>
  harness.call('POST', '/v2/integrations/types/', {
    headers: { ...(await harness.bearer()), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

test('a registration answers 201 the first time and every time', async (t) => {
  const harness = await startHarness(t);
  for (let n = 0; n < 2; n += 1) {
    const reply = await register(harness, {
      value: ' X_Tracker ',
      service_url: 'https://x.example/',
      actions: [action],
    });
    t.is(reply.status, 201);
    const { id, ...answer } = bodyOf<{ id: string }>(reply);
    t.is(id.length, 36);
    t.deepEqual<unknown, unknown>(answer, {
      name: 'X Tracker',
      value: 'x_tracker',
      description: '',
      service_url: 'https://x.example/',
    });
  }
  t.is(harness.platform.types.get('x_tracker')?.actions.length, 1);
});

test('actions left out of a later registration stay', async (t) => {
  const harness = await startHarness(t);
  await register(harness, { value: 'x', actions: [action, { ...action, value: 'auth', type: 'auth' }] });
  await register(harness, { value: 'x', actions: [{ ...action, name: 'New' }], webhook: { value: 'x_webhook' } });
  const type = harness.platform.types.get('x');
  t.deepEqual(
    type?.actions.map(({ value, name }) => [value, name]),
    [
      ['pull_events', 'New'],
      ['auth', 'Pull'],
    ],
  );
  t.is(type?.webhook?.value, 'x_webhook');
});

const wrong: readonly (readonly [member: string, body: unknown])[] = [
  ['value', { value: 'X-Tracker' }],
  ['value', {}],
  ['service_url', { value: 'x', service_url: 'https://x.example/path' }],
  ['service_url', { value: 'x', service_url: 'nowhere' }],
  ['actions', { value: 'x', actions: {} }],
  ['actions', { value: 'x', actions: [{ ...action, type: 'other' }] }],
  ['actions', { value: 'x', actions: [{ ...action, schema: undefined }] }],
  ['webhook', { value: 'x', webhook: 'x_webhook' }],
  ['non_field_errors', []],
];
for (const [member, body] of wrong)
  test(`a wrong ${member} is named with 400: ${JSON.stringify(body)}`, async (t) => {
    const reply = await register(await startHarness(t), body);
    t.is(reply.status, 400);
    t.deepEqual(Object.keys(bodyOf<object>(reply)), [member]);
  });

test('only a superuser may register, and only with a token', async (t) => {
  const harness = await startHarness(t, { tokens: { superuser: false } });
  t.is((await register(harness, { value: 'x' })).status, 403);
  t.is((await harness.call('POST', '/v2/integrations/types/', { body: '{}' })).status, 302);
  t.is(harness.platform.types.get('x'), undefined);
});

test('types can only be posted', async (t) => {
  const harness = await startHarness(t);
  const headers = await harness.bearer();
  for (const method of ['PUT', 'PATCH'] as const)
    t.is((await harness.call(method, '/v2/integrations/types/', { headers, body: '{}' })).status, 404);
});
