import {
  commandsTopicSpec,
  defineAction,
  discoverActions,
  registrationBody,
  type ActionContext,
} from '@ranger-relay/actions';
import { temporaryBus } from '@ranger-relay/bus/testing';
import { topics } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { httpAnswer, scriptedHttp } from '@ranger-relay/http/testing';
import { temporaryKv } from '@ranger-relay/kv/testing';
import type { TypeRegistration } from '@ranger-relay/platform';
import { systemClock } from '@ranger-relay/runtime';
import { manualClock, testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { compose, type RunnerDependencies, type RunnerOptions } from './compose.ts';
import { parseRunnerConfig } from './config.ts';
import { runnerType } from './runner-type.ts';
import { schedulerKey } from './scheduler/due.ts';
import { fakeSite, root, token } from './test/site.ts';
import { busOf, configOf, startRunner, storeOf } from './test/started.ts';

const park = '11111111-2222-4333-8444-555555555555';

const env = { PORT: '0', HOST: '127.0.0.1', AUTH_TOKEN: 'right-token', SCHEDULE_JITTER: '0' };

/** A runner on a real embedded bus and store, with a scripted platform, an action of its own, and ticks on demand. */
const setUp = async (t: ExecutionContext, more: NodeJS.ProcessEnv = {}, clock = systemClock) => {
  const config = parseRunnerConfig({ ...env, ...more });
  const context = testContext({ clock });
  const { bus } = await temporaryBus(t, {
    topics: [...Object.values(topics), commandsTopicSpec(config, config.INTEGRATION_TYPE_SLUG)],
  });
  const { kv, close } = await temporaryKv();
  t.teardown(close);
  t.teardown(() => context.lifecycle.stop());
  const registered: TypeRegistration[] = [];
  const platform = { refuses: false };
  const integration = { id: park, enabled: true, name: 'Park', base_url: null, type: { value: 'site_connector' } };
  const connections = {
    bus,
    kv,
    platform: {
      integrations: {
        integration: async () => integration,
        actionConfig: async () => ({ run_on_schedule: true }),
        list: async () => [integration],
      },
      activity: { action: () => undefined },
      applyConfigEvent: async () => undefined,
      time: () => clock.now(),
      askTime: async () => undefined,
      registerType: async (body: TypeRegistration) => {
        if (platform.refuses)
          throw new RelayError('registration_refused', { details: { type: body.value, reason: '403' } });
        registered.push(body);
        return { value: body.value };
      },
      sensors: {},
    },
  } as unknown as RunnerDependencies;
  const ran = Promise.withResolvers<ActionContext>();
  const held = { until: Promise.resolve() };
  const action_pull_all = defineAction({
    type: 'pull',
    config: z.object({}),
    schedule: '* * * * *',
    run: (c) => {
      ran.resolve(c as unknown as ActionContext);
      return held.until.then(() => 'pulled');
    },
  });
  const ticking = { stopped: false };
  const parts: RunnerOptions = {
    type: { catalogue: discoverActions({ action_pull_all }) },
    ticker: () => ({ stop: () => void (ticking.stopped = true) }),
  };
  const start = () => compose(context, connections, config, 'RUNNER_PORT', parts);
  return { config, context, kv, bus, registered, platform, ran, held, ticking, start };
};

test('it is ready when it has started, and health and actions are served', async (t) => {
  const w = await setUp(t);
  const { port } = await w.start();
  const url = `http://127.0.0.1:${port}`;
  t.is((await fetch(`${url}/readyz`)).status, 200);
  t.is((await fetch(`${url}/livez`)).status, 200);
  t.deepEqual(await (await fetch(`${url}/`)).json(), { status: 'healthy' });
  const actions = await fetch(`${url}/v1/actions/`, { headers: { authorization: 'Bearer right-token' } });
  t.deepEqual(await actions.json(), ['pull_all']);
});

test('a runner is ready while it can read commands, write events and send those of sites, whatever other topics lack', async (t) => {
  const { start, bus, config } = await setUp(t);
  const { port } = await start();
  const needed = [
    topics.sourceEvents.name,
    topics.siteEvents.name,
    commandsTopicSpec(config, config.INTEGRATION_TYPE_SLUG).name,
  ];
  for (const name of [...needed, topics.outboundMessages.name, topics.integrationEvents.name]) {
    bus.topicProblems = () => [{ topic: name, problem: 'it is missing' }];
    t.is((await fetch(`http://127.0.0.1:${port}/readyz`)).status, needed.includes(name) ? 503 : 200, name);
  }
});

test('the leader’s tick runs the scheduled action through the commands topic', async (t) => {
  const w = await setUp(t);
  const { port } = await w.start();
  const { integration, triggeredBy } = await w.ran.promise;
  t.is(integration.id, park);
  t.is(triggeredBy, 'auto');
  await w.context.lifecycle.stop();
  t.true(w.ticking.stopped);
  t.is(await w.kv.state.get(schedulerKey.leader('site_connector')), null);
  const metrics = await w.context.metrics.render();
  t.regex(metrics, /^relay_action_runs_total\{action="pull_all",outcome="complete"\} 1$/m);
  t.regex(metrics, /^relay_action_seconds_count\{action="pull_all"\} 1$/m);
  await t.throwsAsync(fetch(`http://127.0.0.1:${port}/`));
});

test('when the platform ticks, nobody stands for leader here', async (t) => {
  const w = await setUp(t, { SCHEDULER: 'platform' });
  await w.start();
  await new Promise((resolve) => setImmediate(resolve));
  t.is(await w.kv.state.get(schedulerKey.leader('site_connector')), null);
});

test('it registers, and serves as well while the platform refuses', async (t) => {
  const w = await setUp(t, { REGISTER_ON_START: 'True', INTEGRATION_SERVICE_URL: 'https://runner.example/base' });
  await w.start();
  t.like(w.registered[0], { value: 'site_connector', service_url: 'https://runner.example/base/' });

  const refused = await setUp(t, { REGISTER_ON_START: 'true' });
  refused.platform.refuses = true;
  await refused.start();
  t.true(refused.context.health.ready().ok);
});

test('without a token, or on a taken port, it does not start and names the variable', async (t) => {
  const none = await setUp(t, { AUTH_TOKEN: '' });
  await t.throwsAsync(none.start(), { message: /^AUTH_TOKEN is not set/ });
  const { port } = await (await setUp(t)).start();
  const taken = await setUp(t, { PORT: String(port) });
  await t.throwsAsync(taken.start(), { message: new RegExp(`^RUNNER_PORT is ${port}`) });
});

test('a run that is under way at the end has all of STOP_GRACE_S but what the rest of the end takes', async (t) => {
  const clock = manualClock();
  const w = await setUp(t, { STOP_GRACE_S: '21', MAX_ACTION_EXECUTION_TIME: '3600', SCHEDULER: 'platform' }, clock);
  w.held.until = new Promise(() => undefined);
  const { port } = await w.start();
  const called = fetch(`http://127.0.0.1:${port}/v1/actions/execute`, {
    method: 'POST',
    headers: { authorization: 'Bearer right-token', 'content-type': 'application/json' },
    body: JSON.stringify({ integration_id: park, action_id: 'pull_all', triggered_by: 'manual' }),
  });
  const { signal } = await w.ran.promise;
  const stopped = w.context.lifecycle.stop();
  await clock.advance(6_900);
  t.false(signal.aborted);
  await clock.advance(100);
  t.true(signal.aborted);
  t.is((await called).status, 500);
  await stopped;
});

test('auth and show_permissions are published as what people may run, the pulls are not', (t) => {
  const { actions } = registrationBody({ slug: 'site_connector', ...runnerType(parseRunnerConfig(env)) });
  const executable = actions.filter(({ schema }) => 'is_executable' in schema).map(({ value }) => value);
  t.deepEqual(executable.sort(), ['auth', 'show_permissions']);
});

test('the registered form of auth asks for a token, or for user name and password, never for both', (t) => {
  const { actions } = registrationBody({ slug: 'site_connector', ...runnerType(parseRunnerConfig(env)) });
  const { schema, ui_schema: ui } = actions.find(({ value }) => value === 'auth') as unknown as Record<string, object>;
  const form = JSON.parse(JSON.stringify(schema)) as Record<'if' | 'then' | 'else', Record<string, object>> & {
    readonly properties: object;
  };
  t.deepEqual(Object.keys(form.properties), ['authentication_type']);
  t.deepEqual(form.if, { properties: { authentication_type: { const: 'token' } } });
  t.deepEqual(
    [form.then, form.else].map(({ properties = {}, required }) => [Object.keys(properties), required]),
    [
      [['token'], ['token']],
      [
        ['username', 'password'],
        ['username', 'password'],
      ],
    ],
  );
  t.like(ui, { 'ui:order': ['authentication_type', 'token', 'username', 'password'] });
});

test('commands are read from the topic that is named', async (t) => {
  const w = await setUp(t, { INTEGRATION_COMMANDS_TOPIC: 'commands-of-another-name' });
  await w.start();
  t.is((await w.ran.promise).integration.id, park);
});

test('with HTTP clients that are given it opens no connection of its own, neither to the platform nor to a site', async (t) => {
  const type = { id: 'type', value: 'site_connector', actions: [], webhook: null };
  const integration = { id: park, name: 'Park', base_url: root, enabled: true, type, configurations: [] };
  const platform = scriptedHttp(({ url }) =>
    httpAnswer(200, url.endsWith('/token') ? { access_token: 'x', expires_in: 3_600 } : integration),
  );
  const site = fakeSite();
  const config = configOf({
    PLATFORM_API_BASE_URL: 'https://platform.invalid',
    PLATFORM_SENSORS_BASE_URL: 'https://platform.invalid',
    PLATFORM_TOKEN_URL: 'https://platform.invalid/token',
    PLATFORM_CLIENT_ID: 'relay',
    PLATFORM_CLIENT_SECRET: 'secret',
  });
  const { bus } = await busOf(t, config);
  const clients = { http: site.http, createClient: () => platform };
  const runner = await startRunner(t, { config, bus, kv: await storeOf(t), ...clients });
  t.is((await runner.execute(park, 'auth', { config_overrides: { token } })).status, 200);
  t.is(site.asked('user/me').length, 1);
  t.deepEqual(
    [...new Set(platform.requests.map(({ url }) => url))],
    ['https://platform.invalid/token', `https://platform.invalid/v2/integrations/${park}/`],
  );
});
