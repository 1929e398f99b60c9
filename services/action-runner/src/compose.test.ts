import { commandsTopicSpec, defineAction, discoverActions, type ActionContext } from '@ranger-relay/actions';
import { temporaryBus } from '@ranger-relay/bus/testing';
import { RelayError } from '@ranger-relay/errors';
import { temporaryKv } from '@ranger-relay/kv/testing';
import type { TypeRegistration } from '@ranger-relay/platform';
import { testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { compose, type RunnerConnections, type RunnerParts } from './compose.ts';
import { parseRunnerConfig } from './config.ts';
import { schedulerKey } from './scheduler/keys.ts';

const park = '11111111-2222-4333-8444-555555555555';

const env = { PORT: '0', HOST: '127.0.0.1', AUTH_TOKEN: 'right' };

/** A runner on a real embedded bus and store, with a scripted platform, an action of its own, and ticks on demand. */
const setUp = async (t: ExecutionContext, more: NodeJS.ProcessEnv = {}) => {
  const config = parseRunnerConfig({ ...env, ...more });
  const context = testContext();
  const { bus } = await temporaryBus(t, { topics: [commandsTopicSpec(config, config.INTEGRATION_TYPE_SLUG)] });
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
      registerType: async (body: TypeRegistration) => {
        if (platform.refuses)
          throw new RelayError('registration_refused', { details: { type: body.value, reason: '403' } });
        registered.push(body);
        return { value: body.value };
      },
      sensors: {},
    },
  } as unknown as RunnerConnections;
  const ran = Promise.withResolvers<ActionContext>();
  const action_pull_all = defineAction({
    type: 'pull',
    config: z.object({}),
    schedule: '* * * * *',
    run: (c) => {
      ran.resolve(c as unknown as ActionContext);
      return 'pulled';
    },
  });
  const ticking = { stopped: false };
  const parts: RunnerParts = {
    type: { catalogue: discoverActions({ action_pull_all }) },
    ticker: () => ({ stop: () => void (ticking.stopped = true) }),
  };
  const start = () => compose(context, connections, config, 'RUNNER_PORT', parts);
  return { config, context, kv, bus, registered, platform, ran, ticking, start };
};

test('it is ready when it has started, and health and actions are served', async (t) => {
  const w = await setUp(t);
  const { port } = await w.start();
  const url = `http://127.0.0.1:${port}`;
  t.is((await fetch(`${url}/readyz`)).status, 200);
  t.is((await fetch(`${url}/livez`)).status, 200);
  t.deepEqual(await (await fetch(`${url}/`)).json(), { status: 'healthy' });
  const actions = await fetch(`${url}/v1/actions/`, { headers: { authorization: 'Bearer right' } });
  t.deepEqual(await actions.json(), ['pull_all']);
});

test('the leader’s tick runs the scheduled action through the commands topic', async (t) => {
  const w = await setUp(t);
  const { port } = await w.start();
  const { integration, triggeredBy } = await w.ran.promise;
  t.is(integration.id, park);
  t.is(triggeredBy, 'auto');
  await w.context.lifecycle.stop();
  t.true(w.ticking.stopped);
  t.is(await w.kv.state.get(schedulerKey.leader), null);
  const metrics = await w.context.metrics.render();
  t.regex(metrics, /^relay_action_runs_total\{action="pull_all",outcome="complete"\} 1$/m);
  t.regex(metrics, /^relay_action_seconds_count\{action="pull_all"\} 1$/m);
  await t.throwsAsync(fetch(`http://127.0.0.1:${port}/`));
});

test('when the platform ticks, nobody stands for leader here', async (t) => {
  const w = await setUp(t, { SCHEDULER: 'platform' });
  await w.start();
  await new Promise((resolve) => setImmediate(resolve));
  t.is(await w.kv.state.get(schedulerKey.leader), null);
});

test('it registers before it serves, and does not start when the platform refuses', async (t) => {
  const w = await setUp(t, { REGISTER_ON_START: 'True', INTEGRATION_SERVICE_URL: 'https://runner.example/base' });
  await w.start();
  t.like(w.registered[0], { value: 'site_connector', service_url: 'https://runner.example/base/' });

  const refused = await setUp(t, { REGISTER_ON_START: 'true' });
  refused.platform.refuses = true;
  await t.throwsAsync(refused.start(), { message: /does not register the integration type site_connector/ });
  t.is(await refused.kv.state.get(schedulerKey.leader), null);
});

test('without a token, or on a taken port, it does not start and names the variable', async (t) => {
  const none = await setUp(t, { AUTH_TOKEN: '' });
  await t.throwsAsync(none.start(), { message: /^AUTH_TOKEN is not set/ });
  const { port } = await (await setUp(t)).start();
  const taken = await setUp(t, { PORT: String(port) });
  await t.throwsAsync(taken.start(), { message: new RegExp(`^RUNNER_PORT is ${port}`) });
});
