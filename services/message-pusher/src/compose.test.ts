import test from 'ava';
import { compose } from './compose.ts';
import { parsePusherConfig } from './config.ts';
import { appWorld } from './test/app-world.ts';
import { imeiA } from './test/world.ts';

const get = async (port: number, path: string) => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: 'Bearer right-token' } });
  return { status: answer.status, json: (await answer.json()) as unknown };
};

test('the calls of the platform are served beside health', async (t) => {
  const w = await appWorld(t);
  t.deepEqual(await get(w.port, '/'), { status: 200, json: { status: 'healthy' } });
  t.deepEqual(await get(w.port, '/v1/actions/'), { status: 200, json: ['auth', 'push_messages'] });
  for (const path of ['/livez', '/readyz']) t.is((await get(w.port, path)).status, 200);
});

test('commands and outbound messages are consumed in the service’s group', async (t) => {
  const w = await appWorld(t);
  t.deepEqual(
    w.memory.consumers.map(({ topic, group }) => [topic, group]),
    [
      ['device_connector-actions-topic', 'message-pusher'],
      ['outbound-messages', 'message-pusher'],
    ],
  );
});

test('a caller without the token is refused, and nothing is sent', async (t) => {
  const w = await appWorld(t);
  t.is((await w.push([imeiA], {}, { authorization: 'Bearer wrong' })).status, 401);
  t.deepEqual(w.vendor.texts, []);
});

test('the published schema of auth requires its fields, with the password as a secret', async (t) => {
  const w = await appWorld(t, [], { REGISTER_ON_START: 'true' });
  const [body] = w.platform.registered as {
    value: string;
    actions: { value: string; type: string; schema: Record<string, unknown> }[];
    webhook: { value: string; schema: { properties: object } };
  }[];
  t.is(body?.value, 'device_connector');
  t.deepEqual(
    body?.actions.map(({ value, type }) => [value, type]),
    [
      ['auth', 'auth'],
      ['push_messages', 'push'],
    ],
  );
  t.like(body?.actions[0]?.schema, {
    required: ['api_url', 'username', 'password'],
    is_executable: true,
    properties: { password: { format: 'password', writeOnly: true } },
  });
  t.is(body?.webhook.value, 'device_connector_webhook');
  t.deepEqual(Object.keys(body?.webhook.schema.properties ?? {}), [
    'include_observations',
    'include_messages',
    'message_codes',
    'include_no_fix',
  ]);
});

test('without REGISTER_ON_START nothing is registered', async (t) => {
  t.deepEqual((await appWorld(t)).platform.registered, []);
});

test('a registration that is refused stops the start', async (t) => {
  const w = await appWorld(t);
  const config = parsePusherConfig({ AUTH_MODE: 'none', PORT: '0', REGISTER_ON_START: 'true' });
  const platform = {
    ...w.dependencies.platform,
    registerType: async () => {
      throw new Error('refused');
    },
  };
  await t.throwsAsync(compose(w.context, { ...w.dependencies, platform }, config), { message: 'refused' });
});

test('a taken port stops the start with its variable’s name', async (t) => {
  const w = await appWorld(t);
  const config = parsePusherConfig({ AUTH_MODE: 'none', PORT: String(w.port), HOST: '127.0.0.1' });
  await t.throwsAsync(compose(w.context, w.dependencies, config, 'PUSHER_PORT'), {
    message: new RegExp(`^PUSHER_PORT is ${w.port}`),
  });
});

test('the end is not ready first, and then nothing listens', async (t) => {
  const w = await appWorld(t);
  await w.context.lifecycle.stop();
  t.deepEqual(w.context.health.ready().failing.length > 0, true);
  await t.throwsAsync(get(w.port, '/'));
});

for (const [policy, status, texts] of [
  ['resend', 200, [imeiA]],
  ['hold', 500, []],
] as const)
  test(`while the store is away, ${policy} answers ${status} and sends ${texts.length}`, async (t) => {
    const w = await appWorld(t, [], { PUSH_AMBIGUOUS: policy });
    w.state.away = true;
    t.is((await w.push([imeiA])).status, status);
    t.deepEqual(w.vendor.texts, [...texts]);
    t.is(w.slept.length, 4, 'five tries, then one each');
    t.is((await get(w.port, '/')).status, 200);
  });
