import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compose as composeRunner, runnerEnv, runnerProblems } from '@ranger-relay/action-runner';
import { type MemoryBus, memoryBus } from '@ranger-relay/bus/testing';
import type { HttpAnswer, HttpClient, HttpRequest } from '@ranger-relay/http';
import { broken, httpAnswer } from '@ranger-relay/http/testing';
import { memoryKv } from '@ranger-relay/kv/testing';
import { compose as composePusher, pusherEnv, pusherProblems } from '@ranger-relay/message-pusher';
import { compose as composeForwarder, forwarderEnv } from '@ranger-relay/observation-forwarder';
import { platformSettings } from '@ranger-relay/platform';
import { type Context, createConditions, createMetrics, metricList, repeatAtRate } from '@ranger-relay/runtime';
import { manualClock, recordingLogger, testContext } from '@ranger-relay/runtime/testing';
import {
  connectPlatform,
  createClockGuard,
  eventTopics,
  parseServiceEnv,
  shareConditions,
  watchBusWrites,
  type WatchedBus,
  watchTopics,
} from '@ranger-relay/service';
import { compose as composeIngester, ingesterEnv, ingesterProblems } from '@ranger-relay/webhook-ingester';
import type { ExecutionContext } from 'ava';
import type { Hono } from 'hono';
import { temporaryFolder } from '../../data-dir/test/folder.ts';
import { collectStatus } from '../collect.ts';

/** Two parks with devices, one that is disabled, and one with a site. */
export const parks = {
  a: 'aaaaaaaa-0000-4000-8000-000000000001',
  b: 'bbbbbbbb-0000-4000-8000-000000000002',
  closed: 'cccccccc-0000-4000-8000-000000000003',
  site: 'dddddddd-0000-4000-8000-000000000004',
} as const;

/** Valid token of every park, and of the callers of the pusher and the runner. */
export const token = 'the-right-token-of-all-parks';

type Answer = (request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>;

const idOf = ({ url }: HttpRequest): string => /integrations\/([^/]+)\//.exec(url)?.[1] ?? '';

const integration = (id: string, enabled: boolean) => ({
  id,
  name: `Park ${id[0]}`,
  enabled,
  base_url: 'https://site.example',
  type: { value: id === parks.site ? 'site_connector' : 'device_connector', actions: [] },
  configurations: [
    {
      integration: id,
      action: { value: 'auth' },
      data:
        id === parks.site
          ? { authentication_type: 'token', token: 'x' }
          : { api_url: 'https://vendor.example', username: 'u', password: 'p' },
    },
    { integration: id, action: { value: 'pull_events' }, data: { start_datetime: '2025-12-31T00:00:00Z' } },
    { integration: id, action: { value: 'pull_observations' }, data: { start_datetime: '2025-12-31T00:00:00Z' } },
    { integration: id, action: { value: 'push_messages' }, data: {} },
  ],
  webhook_configuration: null,
});

/** The platform takes all items. */
export const accepted = ({ json }: HttpRequest): HttpAnswer =>
  httpAnswer(200, Array.isArray(json) ? json.map((_, n) => ({ object_id: `o${n}` })) : { object_id: 'o' });

/** What the counterparts answer; a test replaces a member to make a fault. */
const counterparts = () => {
  const enabled: { closed: boolean } = { closed: false };
  const listed: { site: boolean } = { site: false };
  const say: Record<'token' | 'api' | 'sensors' | 'vendor' | 'site', Answer> = {
    token: () => httpAnswer(200, { access_token: 't', expires_in: 60 }),
    api(request) {
      if (request.url.includes('search='))
        return httpAnswer(200, { next: null, results: listed.site ? [integration(parks.site, true)] : [] });
      const id = idOf(request);
      if (!Object.values<string>(parks).includes(id)) return httpAnswer(404, { detail: 'Not found.' });
      if (request.url.endsWith('/api-key/')) return httpAnswer(200, { api_key: `key-${id}` });
      return httpAnswer(200, integration(id, id !== parks.closed || enabled.closed));
    },
    sensors: accepted,
    vendor: () => httpAnswer(200, { count: 1 }),
    site: () => httpAnswer(200, { data: { count: 0, next: null, results: [] } }),
  };
  const nameOf = (url: string): keyof typeof say => {
    const { hostname, pathname } = new URL(url);
    if (pathname === '/token') return 'token';
    return hostname.split('.')[0] as keyof typeof say;
  };
  const client: HttpClient = {
    request: async (request) => say[nameOf(request.url)](request),
    close: () => undefined,
  };
  return { say, client, enabled, listed };
};

/** The key with which a request was made names its park. */
export const parkOf = ({ headers }: HttpRequest): string => String(headers?.['apikey'] ?? '').replace('key-', '');

/** A counterpart that cannot be reached. */
export const unreachable: Answer = () => broken('http_connect');

const envOf = (tokensFile: string): NodeJS.ProcessEnv => ({
  PLATFORM_API_BASE_URL: 'https://api.example',
  PLATFORM_SENSORS_BASE_URL: 'https://sensors.example',
  PLATFORM_TOKEN_URL: 'https://api.example/token',
  PLATFORM_CLIENT_ID: 'relay',
  PLATFORM_CLIENT_SECRET: 'relay-secret-of-the-test',
  KAFKA_BROKERS: 'bus.example:9092',
  WEBHOOK_TOKENS_FILE: tokensFile,
  AUTH_TOKEN: token,
  PORT: '0',
});

/** What outlives a process: bus, store, counterparts, clock, the log. */
const surroundings = async (t: ExecutionContext) => {
  const folder = await temporaryFolder(t);
  const tokensFile = join(folder, 'tokens.json');
  const writeTokens = (text = JSON.stringify(Object.fromEntries(Object.values(parks).map((id) => [id, [token]])))) =>
    writeFileSync(tokensFile, text);
  writeTokens();
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const memory: MemoryBus = memoryBus(clock);
  const fileOf = (name: string): string => join(folder, name);
  return {
    ...counterparts(),
    clock,
    log,
    lines,
    memory,
    kv: memoryKv(clock),
    env: envOf(tokensFile),
    writeTokens,
    fileOf,
  };
};

type Surroundings = Awaited<ReturnType<typeof surroundings>>;

/** All services in one process, as `up` starts them, with what has to be watched besides. */
const startProcess = async (
  { client, clock, log, memory, kv, env }: Surroundings,
  watches: readonly ((base: Context) => unknown)[],
) => {
  const metrics = createMetrics(metricList);
  const conditions = createConditions({ clock, log, metrics });
  const apps = new Map<string, Hono>();
  const contexts = new Map<string, Context>();
  const contextOf = (service: string): Context => {
    const serve: Context['serve'] = async (app) => {
      apps.set(service, app);
      return { port: 0, close: async () => undefined };
    };
    const context = testContext({ service, clock, log, metrics, conditions, serve });
    contexts.set(service, context);
    return context;
  };
  const base = contextOf('up');
  const bus: WatchedBus = watchBusWrites(base, {
    ...memory,
    topicProblems: () => memory.topicProblems(),
    lowLimits: () => memory.lowLimits(),
  });
  watchTopics(base, bus);
  const config = parseServiceEnv({ env: ingesterEnv, rules: ingesterProblems }, env);
  const platform = connectPlatform(contextOf('platform'), { bus, kv }, config, platformSettings(config), () => client);
  const { activity, sensors, integrations } = platform;
  const { loadIntegration } = integrations;
  await shareConditions(base, { kv, platform, instance: 'up' });
  for (const watch of watches) await watch(base);
  const late = { ...bus, lastRecords: (...args: Parameters<typeof bus.lastRecords>) => memory.lastRecords(...args) };
  const clockGuard = await createClockGuard(base, { bus: late, platform, topics: eventTopics });
  await composeIngester(contextOf('webhook-ingester'), { bus, kv, activity, loadIntegration, clockGuard }, config);
  await composeForwarder(
    contextOf('observation-forwarder'),
    { bus, kv, sensors, activity },
    parseServiceEnv({ env: forwarderEnv }, env),
  );
  const connected = { bus, kv, platform, http: client };
  await composePusher(
    contextOf('message-pusher'),
    connected,
    parseServiceEnv({ env: pusherEnv, rules: pusherProblems }, env),
  );
  await composeRunner(
    contextOf('action-runner'),
    connected,
    parseServiceEnv({ env: runnerEnv, rules: runnerProblems }, env),
    'PORT',
    { ticker: (onTick) => ({ stop: repeatAtRate({ clock, everyMs: 60_000, firstMs: 60_000 }, async () => onTick()) }) },
  );
  const services = () =>
    [...contexts].map(([name, { health }]) => ({ name, ready: health.ready().ok, failing: health.ready().failing }));
  const collect = collectStatus({ bus, kv, services, conditions, clock });
  const stop = async (): Promise<void> => {
    for (const { lifecycle } of [...contexts.values()].toReversed()) {
      const stopped = lifecycle.stop();
      await clock.advance(30_000);
      await stopped;
    }
  };
  return { base, bus, conditions, contexts, metrics, apps, collect, stop };
};

/**
 * All services on a bus and a store in memory, between scripted counterparts, by a clock of the test. Nothing of the product is replaced but its
 * edges. `restart` replaces the process.
 */
export const startInstallation = async (t: ExecutionContext) => {
  const around = await surroundings(t);
  const watches: ((base: Context) => unknown)[] = [];
  const current = { process: await startProcess(around, watches) };
  t.teardown(() => current.process.stop());
  const { clock } = around;

  /** Lets time pass in small steps, so that what has several steps comes to its end. */
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      await clock.advance(1_000);
      for (let turn = 0; turn < 20; turn += 1) await clock.turn();
    }
    await current.process.collect();
  };
  const call = async (service: string, path: string, body: unknown, headers: Record<string, string> = {}) => {
    const init = {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    };
    const answer = current.process.apps.get(service)?.request(path, init);
    const end: { status?: number | undefined } = {};
    const waiting = Promise.resolve(answer).then((response) => (end.status = response?.status));
    // A response may need time: retries, deadlines.
    for (let step = 0; end.status === undefined && step < 400; step += 1) await pass(1);
    return waiting;
  };
  let events = 0;
  return {
    ...around,
    get process() {
      return current.process;
    },
    /** Watches something besides, in this process and in those after it. */
    async watch(what: (base: Context) => unknown) {
      watches.push(what);
      await what(current.process.base);
    },
    async restart() {
      await current.process.stop();
      current.process = await startProcess(around, watches);
    },
    pass,
    call,
    /** Posts one event of a park; returns the status. */
    webhook: (park: string, event: object = {}, headers: Record<string, string> = {}) =>
      call(
        'webhook-ingester',
        '/webhooks',
        {
          Version: '2.0',
          Events: [
            {
              imei: '300434030000001',
              messageCode: 0,
              timeStamp: clock.now() + (events += 1),
              point: { latitude: -1.2, longitude: 36.8, altitude: 0, gpsFix: 2, course: 0, speed: 0 },
              status: { autonomous: 0, lowBattery: 0, intervalChange: 0, resetDetected: 0 },
              ...event,
            },
          ],
        },
        { 'x-integration-id': park, ...headers },
      ),
  };
};

/** A running installation. */
export type Installation = Awaited<ReturnType<typeof startInstallation>>;

/** Lets the platform push a text to the device of park a. */
export const push = (x: Installation) => {
  const data = {
    event_id: 'e1',
    timestamp: '2026-01-01T00:00:00Z',
    schema_version: 'v1',
    event_type: 'MessageTransformed',
    payload: { Message: 'Return to camp', Recipients: ['300434030000001'], Sender: 'ops@site.org' },
  };
  const message = {
    data: Buffer.from(JSON.stringify(data)).toString('base64'),
    attributes: { destination_id: parks.a },
    messageId: `${x.clock.now()}`,
  };
  return x.call('message-pusher', '/push-data', { message, subscription: 's' });
};

/** Runs an action of the park with a site. */
export const run = (x: Installation, action: string) =>
  x.call('action-runner', '/v1/actions/execute', { integration_id: parks.site, action_id: action });

/** A site that has nothing. */
export const noRows = () => httpAnswer(200, { data: { count: 0, next: null, results: [] } });
