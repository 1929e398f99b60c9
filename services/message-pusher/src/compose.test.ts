import { parseEnv } from '@ranger-relay/runtime';
import test from 'ava';
import { compose } from './compose.ts';
import { pusherEnv } from './config.ts';
import { ledgerKey } from './ledger/entry.ts';
import { appHarness } from './test/app-harness.ts';
import { answer } from './test/vendor.ts';
import { imeiA, integrationId, messageTo } from './test/harness.ts';

const get = async (port: number, path: string) => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: 'Bearer right-token' } });
  return { status: answer.status, json: (await answer.json()) as unknown };
};

test('the calls of the platform are served beside health', async (t) => {
  const w = await appHarness(t);
  t.deepEqual(await get(w.port, '/'), { status: 200, json: { status: 'healthy' } });
  t.deepEqual(await get(w.port, '/v1/actions/'), { status: 200, json: ['auth', 'push_messages'] });
  for (const path of ['/livez', '/readyz']) t.is((await get(w.port, path)).status, 200);
});

test('commands and outbound messages are consumed in the service’s group', async (t) => {
  const w = await appHarness(t);
  t.deepEqual(
    w.bus.consumers.map(({ topic, group }) => [topic, group]),
    [
      ['device_connector-actions-topic', 'message-pusher'],
      ['outbound-messages', 'message-pusher'],
    ],
  );
});

test('a pusher is ready while it can read texts and commands, whatever other topics lack', async (t) => {
  const w = await appHarness(t);
  const needed = w.bus.consumers.map(({ topic }) => topic);
  for (const name of [...needed, 'integration-events', 'dead-letters', 'config-events']) {
    w.bus.topicProblems = () => [{ topic: name, problem: 'it is missing' }];
    t.is((await get(w.port, '/readyz')).status, needed.includes(name) ? 503 : 200, name);
  }
});

test('a caller without the token is refused, and nothing is sent', async (t) => {
  const w = await appHarness(t);
  t.is((await w.push([imeiA], {}, { authorization: 'Bearer wrong' })).status, 401);
  t.deepEqual(w.vendor.texts, []);
});

test('the published schema of auth requires its fields, with the password as a secret', async (t) => {
  const w = await appHarness(t, [], { REGISTER_ON_START: 'true' });
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
  t.deepEqual((await appHarness(t)).platform.registered, []);
});

test('a registration that is refused does not stop the start, and is tried again', async (t) => {
  const w = await appHarness(t);
  const config = parseEnv(pusherEnv, { AUTH_MODE: 'none', PORT: '0', REGISTER_ON_START: 'true' });
  const taken = Promise.withResolvers<number>();
  let tries = 0;
  const platform = {
    ...w.dependencies.platform,
    registerType: async () => {
      tries += 1;
      if (tries < 3) throw new Error('refused');
      taken.resolve(tries);
      return { value: 'device_connector' };
    },
  };
  t.true((await compose(w.context, { ...w.dependencies, platform }, config)).port > 0);
  t.is(await taken.promise, 3);
});

test('a taken port stops the start with its variable’s name', async (t) => {
  const w = await appHarness(t);
  const config = parseEnv(pusherEnv, { AUTH_MODE: 'none', PORT: String(w.port), HOST: '127.0.0.1' });
  await t.throwsAsync(compose(w.context, w.dependencies, config, 'PUSHER_PORT'), {
    message: new RegExp(`^PUSHER_PORT is ${w.port}`),
  });
});

test('the end is not ready first, and then nothing listens', async (t) => {
  const w = await appHarness(t);
  await w.context.lifecycle.stop();
  t.deepEqual(w.context.health.ready().failing.length > 0, true);
  await t.throwsAsync(get(w.port, '/'));
});

for (const [policy, status, texts] of [
  ['resend', 200, [imeiA]],
  ['hold', 500, []],
] as const)
  test(`while the store is away, ${policy} answers ${status} and sends ${texts.length}`, async (t) => {
    const w = await appHarness(t, [], { PUSH_AMBIGUOUS: policy });
    w.state.away = true;
    t.is((await w.push([imeiA])).status, status);
    t.deepEqual(w.vendor.texts, [...texts]);
    t.is(w.slept.length, 4, 'five tries, then one each');
    t.is((await get(w.port, '/')).status, 200);
  });

const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

test('the attribute that is named tells one text from another, whatever else differs', async (t) => {
  const w = await appHarness(t, [], { PUSH_ID_ATTRIBUTE: 'text_id' });
  for (const event_id of ['e1', 'e2'])
    t.is(
      (
        await w.push([imeiA], {
          attributes: { text_id: 't1', delivery_id: event_id },
          data: { ...messageTo([imeiA]), event_id },
        })
      ).status,
      200,
    );
  t.deepEqual(w.vendor.texts, [imeiA]);
  t.is(w.entryOf(imeiA, 't1')?.state, 'accepted');
});

test('a text without attribute and event id is known by the id of its message', async (t) => {
  const w = await appHarness(t);
  const data = { ...messageTo([imeiA]), event_id: undefined };
  t.is((await w.push([imeiA], { id: 'm-of-platform', attributes: { delivery_id: undefined }, data })).status, 200);
  t.is(w.entryOf(imeiA, 'm-of-platform')?.state, 'accepted');
});

for (const [seconds, texts] of [
  [12, []],
  [18, [imeiA]],
] as const)
  test(`with PUSH_TIMEOUT_S=10 a call begun ${seconds} s ago elsewhere lets ${texts.length} texts out`, async (t) => {
    const w = await appHarness(t, [], { PUSH_TIMEOUT_S: '10' });
    const entry = { state: 'sending', attempts: 1, owner: 'another', updated_at: ago(seconds * 1_000) };
    await w.state.set(ledgerKey(integrationId, 'd1', imeiA), JSON.stringify(entry));
    await w.push([imeiA]);
    t.deepEqual(w.vendor.texts, [...texts]);
  });

for (const [minutes, status, letters] of [
  [50, 500, 0],
  [70, 200, 1],
] as const)
  test(`with PUSH_MAX_AGE_H=1 a text that is refused for ${minutes} minutes answers ${status}`, async (t) => {
    const away = Array.from({ length: 20 }, () => answer(503));
    const w = await appHarness(t, away, { PUSH_MAX_AGE_H: '1' });
    const entry = { state: 'pending', updated_at: ago(0), first_seen_at: ago(minutes * 60_000) };
    await w.state.set(ledgerKey(integrationId, 'd1', imeiA), JSON.stringify(entry));
    t.is((await w.push([imeiA])).status, status);
    t.is(w.letters().length, letters);
  });

test('a run that has no time for one call stops the start, and 30 s more than the call are enough', async (t) => {
  const times = { PUSH_TIMEOUT_S: '300', MAX_ACTION_EXECUTION_TIME: '330', STOP_GRACE_S: '400' };
  const w = await appHarness(t, [], times);
  const config = parseEnv(pusherEnv, { AUTH_MODE: 'none', PORT: '0', ...times, MAX_ACTION_EXECUTION_TIME: '329' });
  await t.throwsAsync(compose(w.context, w.dependencies, config), {
    message: /^MAX_ACTION_EXECUTION_TIME is 329, but PUSH_TIMEOUT_S=300 needs at least 330/,
  });
});

for (const [grace, warnings] of [
  ['78', 1],
  ['79', 0],
] as const)
  test(`the end of a process that has ${grace} s for a call of 60 s is warned of ${warnings} times, and texts are sent`, async (t) => {
    const w = await appHarness(t, [], { PUSH_TIMEOUT_S: '60', STOP_GRACE_S: grace });
    t.is(w.lines.filter(({ msg }) => String(msg).startsWith('STOP_GRACE_S is shorter')).length, warnings);
  });

test('by default the end of a process has time for the longest call', (t) => {
  t.true(parseEnv(pusherEnv, { AUTH_MODE: 'none' }).STOP_GRACE_S >= 60 + 14 + 5);
});

test('commands go to the topic that is named, and are read there, when they run in the background', async (t) => {
  const topic = 'commands-of-another-name';
  const w = await appHarness(t, [], {
    INTEGRATION_COMMANDS_TOPIC: topic,
    PROCESS_PUBSUB_MESSAGES_IN_BACKGROUND: 'true',
  });
  t.is(w.bus.consumers[0]?.topic, topic);
  const data = { integration_id: 'any', action_id: 'auth' };
  t.is((await w.post('/', w.envelope([], { data }))).status, 200);
  t.deepEqual(
    w.bus.published.map((each) => each.topic),
    [topic],
  );
});

for (const variable of ['ACTIONS_MAX_RUNNING', 'ACTIONS_MAX_RUNNING_PER_INTEGRATION'])
  test(`with ${variable}=1 a text that comes while another is sent is 503`, async (t) => {
    const [called, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<Response>()];
    const vendor = () => (called.resolve(), ended.promise);
    const w = await appHarness(t, [vendor], { [variable]: '1' });
    const first = w.push([imeiA]);
    await called.promise;
    const second = await w.push([imeiA], { attributes: { delivery_id: 'd2' } });
    t.deepEqual([second.status, second.headers.get('retry-after')], [503, '5']);
    ended.resolve(Response.json({ count: 1 }));
    t.is((await first).status, 200);
    t.deepEqual(w.vendor.texts, [imeiA]);
  });

test('a config event reaches the cache here, and the topic that every other service follows', async (t) => {
  const w = await appHarness(t);
  const applied: unknown[] = [];
  Object.assign(w.dependencies.platform, { applyConfigEvent: async (event: unknown) => void applied.push(event) });
  const event = {
    event_id: 'e',
    timestamp: '2026-01-07T12:31:56Z',
    schema_version: 'v1',
    event_type: 'ActionConfigUpdated',
    payload: { id: 'c', alt_id: 'auth', integration_id: integrationId, changes: { data: { username: 'x' } } },
  };
  t.is((await w.post('/config-events', w.envelope([], { data: event }))).status, 200);
  t.deepEqual<unknown, unknown>(applied, [event]);
  const [told] = w.bus.published;
  t.is(told?.topic, 'config-events');
  t.deepEqual(JSON.parse(String(told?.records[0]?.value)), event);
});
