import test from 'ava';
import { bodyOf, first, startWorld } from '../test/world.ts';

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
  const world = await startWorld(t);
  const configurations = { auth: { username: 'ops' } };
  world.platform.integrations.put({
    id: first,
    configurations,
    webhook_data: { include_messages: true },
    enabled: false,
  });
  const reply = await world.call('GET', `/v2/integrations/${first}/`, { headers: await world.bearer() });
  const shown = bodyOf<Shown>(reply);
  t.like(shown, { id: first, enabled: false, type: { value: 'device_connector' } });
  t.like(shown.configurations[0], { integration: first, action: { value: 'auth' }, data: { username: 'ops' } });
  t.deepEqual(shown.webhook_configuration, {
    webhook: { value: 'device_connector_webhook' },
    data: { include_messages: true },
  });
});

test('a webhook configuration can be missing', async (t) => {
  const world = await startWorld(t);
  world.platform.integrations.put({ id: first, webhook_data: null });
  const reply = await world.call('GET', `/v2/integrations/${first}/`, { headers: await world.bearer() });
  t.is(bodyOf<Shown>(reply).webhook_configuration, null);
});

test('a registered action gets an empty configuration', async (t) => {
  const world = await startWorld(t);
  world.platform.types.register({ value: 'device_connector', actions: [{ type: 'auth', value: 'auth' }] });
  const reply = await world.call('GET', `/v2/integrations/${first}/`, { headers: await world.bearer() });
  t.like(bodyOf<Shown>(reply).configurations[0], { action: { type: 'auth', value: 'auth' }, data: {} });
});

test('an unknown, deleted or hidden integration is not found, and neither is its key', async (t) => {
  const world = await startWorld(t);
  const headers = await world.bearer();
  world.platform.integrations.put({ id: 'hidden', hidden: true });
  world.platform.integrations.delete(first);
  for (const id of ['unknown', 'hidden', first])
    for (const tail of ['', 'api-key/']) {
      const reply = await world.call('GET', `/v2/integrations/${id}/${tail}`, { headers });
      t.is(reply.status, 404);
      t.deepEqual(bodyOf(reply), { detail: 'Not found.' });
    }
});

test('key calls are counted', async (t) => {
  const world = await startWorld(t);
  const headers = await world.bearer();
  const reply = await world.call('GET', `/v2/integrations/${first}/api-key/`, { headers });
  t.deepEqual(bodyOf(reply), { api_key: 'key-1' });
  await world.call('GET', `/v2/integrations/${first}/api-key/`, { headers });
  t.is(world.platform.stats().calls['api_key'], 2);
});

test('lists come 20 a page, and only the query of `next` leads on', async (t) => {
  const world = await startWorld(t);
  for (let n = 0; n < 43; n += 1) world.platform.integrations.put({ id: `more-${n}` });
  const headers = await world.bearer();
  const ids = new Set<string>();
  const sizes: number[] = [];
  for (let path: string | null = '/v2/integrations/?search=device&search_fields=type__value'; path !== null;) {
    const page: List = bodyOf<List>(await world.call('GET', path, { headers }));
    sizes.push(page.results.length);
    for (const { id } of page.results) ids.add(id);
    const next: URL | undefined = page.next === null ? undefined : new URL(page.next);
    t.not(next?.origin, world.platform.url);
    path = next ? `/v2/integrations/${next.search}` : null;
  }
  t.deepEqual(sizes, [20, 20, 5]);
  t.is(ids.size, 45);
  t.is((await world.call('GET', '/v2/integrations/?page=9', { headers })).status, 404);
});

test('the search matches any part of a slug, and enabled filters', async (t) => {
  const world = await startWorld(t);
  world.platform.integrations.put({ id: 'other', type: 'my_device_connector_two' });
  world.platform.integrations.put({ id: 'site', type: 'site_connector' });
  world.platform.integrations.put({ id: first, enabled: false });
  const headers = await world.bearer();
  const ask = async (query: string): Promise<string[]> =>
    bodyOf<List>(await world.call('GET', `/v2/integrations/?${query}`, { headers })).results.map(({ id }) => id);
  t.deepEqual((await ask('search=device_connector&enabled=true')).includes('other'), true);
  t.false((await ask('search=device_connector&enabled=true')).includes(first));
  t.deepEqual(await ask('search=site_connector'), ['site']);
});

test('paths without their final slash are not there', async (t) => {
  const world = await startWorld(t);
  const headers = await world.bearer();
  t.is((await world.call('GET', `/v2/integrations/${first}`, { headers })).status, 404);
  t.is((await world.post('/v2/observations', [])).status, 404);
  t.is(world.platform.stats().calls['unknown'], 2);
});
