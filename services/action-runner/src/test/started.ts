import { commandsTopicSpec, discoverActions } from '@ranger-relay/actions';
import type { Bus } from '@ranger-relay/bus';
import { temporaryBus, type TemporaryBus } from '@ranger-relay/bus/testing';
import type { KeyValue } from '@ranger-relay/kv';
import { temporaryKv } from '@ranger-relay/kv/testing';
import { platformSettings } from '@ranger-relay/platform';
import { systemClock, type Clock } from '@ranger-relay/runtime';
import { testContext } from '@ranger-relay/runtime/testing';
import { connectPlatform, topicsOf } from '@ranger-relay/service';
import type { ExecutionContext } from 'ava';
import { compose, type RunnerDependencies } from '../compose.ts';
import { parseRunnerConfig, type RunnerConfig } from '../config.ts';

const token = 'right-token';

/** The configuration of a runner of the tests. */
export const configOf = (env: NodeJS.ProcessEnv): RunnerConfig =>
  parseRunnerConfig({
    PORT: '0',
    HOST: '127.0.0.1',
    AUTH_TOKEN: token,
    SCHEDULER: 'platform',
    HTTP_ALLOWED_NETWORKS: '127.0.0.0/8',
    ...env,
  });

/** An embedded bus that has the topics which the configuration names, and no others. */
export const busOf = (t: ExecutionContext, config: RunnerConfig): Promise<TemporaryBus> =>
  temporaryBus(t, { topics: topicsOf(config, [commandsTopicSpec(config, config.INTEGRATION_TYPE_SLUG)]) });

/** A store of its own; the test's end closes it. */
export const storeOf = async (t: ExecutionContext): Promise<KeyValue> => {
  const { kv, close } = await temporaryKv();
  t.teardown(close);
  return kv;
};

/** What a runner is started on. */
export interface StartDependencies extends Pick<RunnerDependencies, 'http'> {
  readonly config: RunnerConfig;
  readonly bus: Bus;
  readonly kv: KeyValue;
  /** Handlers in place of the service's own. */
  readonly handlers?: Readonly<Record<string, unknown>>;
  readonly clock?: Clock;
  /** Makes the HTTP clients for the platform. */
  readonly createClient?: Parameters<typeof connectPlatform>[4];
}

/** Starts a runner as a process would be, with its real connections to the platform, and calls it over HTTP. */
export const startRunner = async (t: ExecutionContext, parts: StartDependencies) => {
  const { config, bus, kv, handlers, clock = systemClock, createClient, http } = parts;
  const context = testContext({ clock });
  const platform = connectPlatform(context, { bus, kv }, config, platformSettings(config), createClient);
  t.teardown(() => context.lifecycle.stop());
  const type = handlers && { catalogue: discoverActions(handlers) };
  const connections = { bus, kv, platform, ...(http ? { http } : {}) };
  const { port } = await compose(context, connections, config, 'PORT', type ? { type } : {});
  const call = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers, ...init });
    return { status: answer.status, text: await answer.text() };
  };
  const post = async (path: string, body: object | string) => {
    const { status, text } = await call(path, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status, json: JSON.parse(text) as unknown };
  };
  return {
    context,
    call,
    post,
    execute: (integration: string, action: string, more: object = {}) =>
      post('/v1/actions/execute', { integration_id: integration, action_id: action, ...more }),
  };
};

/** The records of a topic as JSON. */
export const valuesOn = async (bus: Bus, topic: string): Promise<Record<string, unknown>[]> => {
  const values: Record<string, unknown>[] = [];
  for await (const { value } of bus.read({ topic }))
    values.push(JSON.parse(Buffer.from(value).toString()) as Record<string, unknown>);
  return values;
};
