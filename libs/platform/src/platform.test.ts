import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Bus } from '@ranger-relay/bus';
import type { Observation } from '@ranger-relay/contracts';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import { createHttpClient } from '@ranger-relay/http';
import { parseEnv, platformEnv } from '@ranger-relay/runtime';
import { manualClock, testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { createPlatform, createServerTime, platformSettings } from './platform.ts';
import { memoryBus } from './test/memory-bus.ts';
import { memoryKv } from './test/memory-kv.ts';
import { parkId, wholeIntegration } from './test/platform-answers.ts';
import { answerWith, scriptedHttp } from './test/scripted-http.ts';

const at = Date.UTC(2026, 0, 1, 12);
const request = { method: 'GET', url: 'https://platform.example/' } as const;

const setUpTime = () => {
  const clock = manualClock();
  const time = createServerTime(clock);
  const answers: { status: number; date?: string }[] = [];
  const http = time.watch(
    scriptedHttp(() => {
      const { status, date } = answers.shift() ?? { status: 200 };
      return { ...answerWith(status), headers: date === undefined ? {} : { date } };
    }),
  );
  return { clock, time, answers, ask: () => http.request(request) };
};

test('the time of the last good answer goes on with ours, however our wall clock jumps', async (t) => {
  const { clock, time, answers, ask } = setUpTime();
  t.is(time.now(), null);
  answers.push({ status: 200, date: new Date(at).toUTCString() });
  await ask();
  t.is(time.now(), at);
  clock.jump(-86_400_000);
  await clock.advance(5_000);
  t.is(time.now(), at + 5_000);
});

test('a refusal, and an answer without a date, say nothing', async (t) => {
  const { time, answers, ask } = setUpTime();
  answers.push(
    { status: 502, date: new Date(at).toUTCString() },
    { status: 404, date: new Date(at).toUTCString() },
    { status: 200 },
    { status: 200, date: 'soon' },
  );
  for (let left = 4; left > 0; left--) await ask();
  t.is(time.now(), null);
});

type Route = (request: IncomingMessage, answer: ServerResponse) => void;

const json = (answer: ServerResponse, status: number, value: unknown): void =>
  void answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

/** A small platform on loopback: tokens t1, t2, …, key k1, and what the test makes of the sensors API. */
const setUp = async (t: ExecutionContext, sensors: Route) => {
  const seen: string[] = [];
  const state = { tokens: 0, goodToken: 't1', key: 'k1' };
  const routes: Record<string, Route> = {
    '/token': (_, answer) => json(answer, 200, { access_token: `t${(state.tokens += 1)}`, expires_in: 300 }),
    [`/v2/integrations/${parkId}/`]: (_, answer) => json(answer, 200, wholeIntegration()),
    [`/v2/integrations/${parkId}/api-key/`]: (_, answer) => json(answer, 200, { api_key: state.key }),
    '/v2/observations/': sensors,
  };
  const server = createServer((request, answer) => {
    seen.push(
      `${request.method} ${request.url} ${request.headers['authorization'] ?? request.headers['apikey'] ?? ''}`.trim(),
    );
    const guarded = request.url?.startsWith('/v2/integrations/') ?? false;
    if (guarded && request.headers['authorization'] !== `Bearer ${state.goodToken}`)
      return answer.writeHead(302, { location: '/login' }).end();
    request
      .resume()
      .on('end', () =>
        (routes[request.url ?? ''] ?? ((_, none) => json(none, 404, { detail: 'Not found.' })))(request, answer),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const context = testContext();
  const http = createHttpClient({
    clock: context.clock,
    allowedNetworks: ['127.0.0.0/8'],
    userAgent: 'test',
    upstream: 'platform',
  });
  t.teardown(() => {
    http.close();
    server.closeAllConnections();
    server.close();
  });
  const platform = createPlatform({
    settings: {
      apiBaseUrl: base,
      sensorsBaseUrl: base,
      tokenUrl: `${base}/token`,
      clientId: 'relay',
      clientSecret: 's',
      grant: 'client_credentials',
    },
    http,
    kv: memoryKv(),
    bus: memoryBus() as unknown as Bus,
    context,
    activityTopic: 'integration-events',
    typeSlug: 'device_connector',
  });
  return { platform, seen, state };
};

const observation = { source: 'i' } as Observation;
const stored: Route = (_, answer) => json(answer, 200, [{ object_id: 'o' }]);

test('from nothing: a token, the integration, the key, the post; then one call per post', async (t) => {
  const { platform, seen } = await setUp(t, stored);
  t.is((await platform.integrations.loadIntegration(parkId))?.enabled, true);
  for (const _ of [1, 2, 3])
    t.like(await platform.sensors.live.postObservations(parkId, [observation]), { kind: 'accepted' });
  t.deepEqual(seen, [
    'POST /token',
    `GET /v2/integrations/${parkId}/ Bearer t1`,
    `GET /v2/integrations/${parkId}/api-key/ Bearer t1`,
    'POST /v2/observations/ k1',
    'POST /v2/observations/ k1',
    'POST /v2/observations/ k1',
  ]);
});

test('a token that went stale costs one redirect and one renewal', async (t) => {
  const { platform, seen, state } = await setUp(t, stored);
  state.goodToken = 't2';
  t.is((await platform.integrations.loadIntegration(parkId))?.id, parkId);
  t.deepEqual(seen, [
    'POST /token',
    `GET /v2/integrations/${parkId}/ Bearer t1`,
    'POST /token',
    `GET /v2/integrations/${parkId}/ Bearer t2`,
  ]);
});

test('the platform’s time can be asked for: first with the token that is needed anyway, then with one that is thrown away', async (t) => {
  const { platform, seen } = await setUp(t, stored);
  t.is(platform.time(), null);
  await platform.askTime();
  t.true(Math.abs((platform.time() ?? 0) - Date.now()) < 60_000);
  await platform.askTime();
  t.is((await platform.integrations.loadIntegration(parkId))?.id, parkId);
  t.deepEqual(seen, ['POST /token', 'POST /token', `GET /v2/integrations/${parkId}/ Bearer t1`]);
});

const faults: [string, Route, boolean][] = [
  [
    'half a body',
    (_, answer) => void answer.writeHead(200, { 'content-length': 50 }).write('[{"object', () => answer.destroy()),
    true,
  ],
  ['a reset', (request) => void request.socket.resetAndDestroy(), true],
  ['a 502', (_, answer) => void answer.writeHead(502).end('<html>'), true],
  ['a 429', (_, answer) => void answer.writeHead(429, { 'retry-after': '7' }).end(), false],
];
for (const [what, route, ambiguous] of faults)
  test(`${what} while posting is transient${ambiguous ? ' and ambiguous' : ''}`, async (t) => {
    const { platform } = await setUp(t, route);
    const error = await t.throwsAsync(platform.sensors.live.postObservations(parkId, [observation]), {
      instanceOf: RelayError,
    });
    t.true(isRelayError(error, 'platform_unavailable', 'platform_rate_limited'), error.code);
    t.is(error.ambiguous, ambiguous);
    t.is(error.retryAfterMs, ambiguous ? undefined : 7_000);
  });

test('a rotated key is fetched and the post goes through', async (t) => {
  const { platform, state, seen } = await setUp(t, (request, answer) =>
    request.headers['apikey'] === state.key ? stored(request, answer) : json(answer, 401, { message: 'no' }),
  );
  await platform.sensors.live.postObservations(parkId, [observation]);
  state.key = 'k2';
  t.like(await platform.sensors.live.postObservations(parkId, [observation]), { kind: 'accepted' });
  t.deepEqual(seen.slice(-4), [
    'POST /v2/observations/ k1',
    'POST /v2/observations/ k1',
    `GET /v2/integrations/${parkId}/api-key/ Bearer t1`,
    'POST /v2/observations/ k2',
  ]);
});

test('an unknown integration: null for the webhook, gone for the sensors', async (t) => {
  const { platform } = await setUp(t, stored);
  t.is(await platform.integrations.loadIntegration('other'), null);
  const error = await t.throwsAsync(platform.sensors.live.postObservations('other', [observation]));
  t.true(isRelayError(error, 'integration_gone'));
});

const variables = {
  PLATFORM_API_BASE_URL: 'https://api.example/',
  PLATFORM_SENSORS_BASE_URL: 'https://sensors.example',
  PLATFORM_TOKEN_URL: 'https://login.example/token',
  PLATFORM_CLIENT_ID: 'relay',
  PLATFORM_CLIENT_SECRET: 's',
};

test('settings come from the environment', (t) => {
  t.deepEqual(platformSettings(parseEnv(platformEnv, { ...variables, PLATFORM_GRANT: 'uma-ticket' })), {
    apiBaseUrl: 'https://api.example',
    sensorsBaseUrl: 'https://sensors.example',
    tokenUrl: 'https://login.example/token',
    clientId: 'relay',
    clientSecret: 's',
    previousSecret: undefined,
    audience: undefined,
    grant: 'uma-ticket',
  });
});

for (const name of Object.keys(variables))
  test(`without ${name} the start ends with a sentence that names it`, (t) => {
    const error = t.throws(() => platformSettings(parseEnv(platformEnv, { ...variables, [name]: '' })));
    t.true(isRelayError(error, 'config_invalid'));
    t.true(error.message.startsWith(`${name} is not set`));
  });
