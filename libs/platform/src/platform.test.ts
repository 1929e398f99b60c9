import { memoryBus } from '@ranger-relay/bus/testing';
import type { Observation } from '@ranger-relay/contracts';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import { clientFor, mockServer, type Responder } from '@ranger-relay/http/testing';
import { memoryKv } from '@ranger-relay/kv/testing';
import { parseEnv, platformEnv } from '@ranger-relay/runtime';
import { manualClock, testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { createPlatform, createServerTime, platformSettings } from './platform.ts';
import { parkId, wholeIntegration } from './test/platform-answers.ts';

const at = Date.UTC(2026, 0, 1, 12);
const date = new Date(at).toUTCString();

const setUpTime = async (t: ExecutionContext, responses: readonly Response[]) => {
  const clock = manualClock();
  const time = createServerTime(clock);
  const { origin } = await mockServer(
    t,
    responses.map((response) => () => response),
  );
  const http = time.watch(clientFor(t));
  return { clock, time, ask: () => http.request({ method: 'GET', url: origin }) };
};

test('the time of the last good answer goes on with ours, however our wall clock jumps', async (t) => {
  const { clock, time, ask } = await setUpTime(t, [Response.json({}, { headers: { date } })]);
  t.is(time.now(), null);
  await ask();
  t.is(time.now(), at);
  clock.jump(-86_400_000);
  await clock.advance(5_000);
  t.is(time.now(), at + 5_000);
});

test('a refusal, a web page and an answer without a date say nothing of the time', async (t) => {
  const responses = [
    new Response('', { status: 502, headers: { date } }),
    new Response('', { status: 404, headers: { date } }),
    new Response('<html>Sign in</html>', { headers: { date } }),
    Response.json({}),
    Response.json({}, { headers: { date: 'soon' } }),
  ];
  const { time, ask } = await setUpTime(t, responses);
  for (const _ of responses) await ask();
  t.is(time.now(), null);
});

const observation = { source: 'i' } as Observation;
const stored: Responder = () => Response.json([{ object_id: 'o' }]);

/** A small platform: tokens t1, t2, …, key k1, and what the test makes of the sensors API. */
const setUp = async (t: ExecutionContext, sensors: Responder = stored) => {
  const state = { tokens: 0, goodToken: 't1', key: 'k1' };
  const routes: Record<string, Responder> = {
    '/token': () => Response.json({ access_token: `t${(state.tokens += 1)}`, expires_in: 300 }, { headers: { date } }),
    [`/v2/integrations/${parkId}/`]: () => Response.json(wholeIntegration()),
    [`/v2/integrations/${parkId}/api-key/`]: () => Response.json({ api_key: state.key }),
    '/v2/observations/': sensors,
  };
  const { origin, requests } = await mockServer(t, (request) => {
    const { url, headers } = request;
    if (url.startsWith('/v2/integrations/') && headers['authorization'] !== `Bearer ${state.goodToken}`)
      return new Response(null, { status: 302, headers: { location: '/login' } });
    return routes[url]?.(request) ?? Response.json({ detail: 'Not found.' }, { status: 404 });
  });
  const seen = () =>
    requests.map(({ method, url, headers }) =>
      `${method} ${url} ${headers['authorization'] ?? headers['apikey'] ?? ''}`.trim(),
    );
  const context = testContext({ clock: manualClock() });
  const platform = createPlatform({
    settings: {
      apiBaseUrl: origin,
      sensorsBaseUrl: origin,
      tokenUrl: `${origin}/token`,
      clientId: 'relay',
      clientSecret: 's',
      grant: 'client_credentials',
    },
    http: clientFor(t),
    kv: memoryKv(context.clock),
    bus: memoryBus(context.clock),
    context,
    activityTopic: 'integration-events',
    typeSlug: 'device_connector',
  });
  return { platform, seen, state };
};

test('from nothing: a token, the integration, the key, the post; then one call per post', async (t) => {
  const { platform, seen } = await setUp(t);
  t.is((await platform.integrations.loadIntegration(parkId))?.enabled, true);
  for (const _ of [1, 2, 3])
    t.like(await platform.sensors.live.postObservations(parkId, [observation]), { kind: 'accepted' });
  t.deepEqual(seen(), [
    'POST /token',
    `GET /v2/integrations/${parkId}/ Bearer t1`,
    `GET /v2/integrations/${parkId}/api-key/ Bearer t1`,
    'POST /v2/observations/ k1',
    'POST /v2/observations/ k1',
    'POST /v2/observations/ k1',
  ]);
});

test('a token that went stale costs one redirect and one renewal', async (t) => {
  const { platform, seen, state } = await setUp(t);
  state.goodToken = 't2';
  t.is((await platform.integrations.loadIntegration(parkId))?.id, parkId);
  t.deepEqual(seen(), [
    'POST /token',
    `GET /v2/integrations/${parkId}/ Bearer t1`,
    'POST /token',
    `GET /v2/integrations/${parkId}/ Bearer t2`,
  ]);
});

test('the platform’s time can be asked for: first with the token that is needed anyway, then with one that is thrown away', async (t) => {
  const { platform, seen } = await setUp(t);
  t.is(platform.time(), null);
  await platform.askTime();
  t.is(platform.time(), at);
  await platform.askTime();
  t.is((await platform.integrations.loadIntegration(parkId))?.id, parkId);
  t.deepEqual(seen(), ['POST /token', 'POST /token', `GET /v2/integrations/${parkId}/ Bearer t1`]);
});

for (const [status, headers, ambiguous] of [
  [502, {}, true],
  [429, { 'retry-after': '7' }, false],
] as const)
  test(`a ${status} while posting is transient${ambiguous ? ' and ambiguous' : ''}`, async (t) => {
    const { platform } = await setUp(t, () => new Response('<html>', { status, headers }));
    const error = await t.throwsAsync(platform.sensors.live.postObservations(parkId, [observation]), {
      instanceOf: RelayError,
    });
    t.true(isRelayError(error, 'platform_unavailable', 'platform_rate_limited'), error.code);
    t.is(error.ambiguous, ambiguous);
    t.is(error.retryAfterMs, ambiguous ? undefined : 7_000);
  });

test('a rotated key is fetched and the post goes through', async (t) => {
  const { platform, state, seen } = await setUp(t, (request) =>
    request.headers['apikey'] === state.key ? stored(request) : Response.json({ message: 'no' }, { status: 401 }),
  );
  await platform.sensors.live.postObservations(parkId, [observation]);
  state.key = 'k2';
  t.like(await platform.sensors.live.postObservations(parkId, [observation]), { kind: 'accepted' });
  t.deepEqual(seen().slice(-4), [
    'POST /v2/observations/ k1',
    'POST /v2/observations/ k1',
    `GET /v2/integrations/${parkId}/api-key/ Bearer t1`,
    'POST /v2/observations/ k2',
  ]);
});

test('an unknown integration: null for the webhook, gone for the sensors', async (t) => {
  const { platform } = await setUp(t);
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
