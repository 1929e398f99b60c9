import test from 'ava';
import { bodyOf, startWorld, type World } from '../test/world.ts';

const action = { type: 'pull', value: 'pull_events', name: 'Pull', schema: { type: 'object', definitions: {} } };

const register = async (world: World, body: unknown) =>
  world.call('POST', '/v2/integrations/types/', {
    headers: { ...(await world.bearer()), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

test('a registration answers 201 the first time and every time', async (t) => {
  const world = await startWorld(t);
  for (let n = 0; n < 2; n += 1) {
    const reply = await register(world, { value: ' X_Tracker ', service_url: 'https://x.example/', actions: [action] });
    t.is(reply.status, 201);
    t.deepEqual(bodyOf(reply), {
      name: 'X Tracker',
      value: 'x_tracker',
      description: '',
      service_url: 'https://x.example/',
    });
  }
  t.is(world.platform.types.get('x_tracker')?.actions.length, 1);
});

test('actions left out of a later registration stay', async (t) => {
  const world = await startWorld(t);
  await register(world, { value: 'x', actions: [action, { ...action, value: 'auth', type: 'auth' }] });
  await register(world, { value: 'x', actions: [{ ...action, name: 'New' }], webhook: { value: 'x_webhook' } });
  const type = world.platform.types.get('x');
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
    const reply = await register(await startWorld(t), body);
    t.is(reply.status, 400);
    t.deepEqual(Object.keys(bodyOf<object>(reply)), [member]);
  });

test('only a superuser may register, and only with a token', async (t) => {
  const world = await startWorld(t, { tokens: { superuser: false } });
  t.is((await register(world, { value: 'x' })).status, 403);
  t.is((await world.call('POST', '/v2/integrations/types/', { body: '{}' })).status, 302);
  t.is(world.platform.types.get('x'), undefined);
});

test('types can only be posted', async (t) => {
  const world = await startWorld(t);
  const headers = await world.bearer();
  for (const method of ['PUT', 'PATCH'] as const)
    t.is((await world.call(method, '/v2/integrations/types/', { headers, body: '{}' })).status, 404);
});
