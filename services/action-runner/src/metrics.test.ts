import { discoverActions } from '@ranger-relay/actions';
import { systemClock } from '@ranger-relay/runtime';
import { strangeLabels } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import * as handlers from './handlers.ts';
import { clientSecret, loopbackPlatform } from './test/loopback-platform.ts';
import { busOf, configOf, startRunner, storeOf } from './test/started.ts';

const park = '11111111-2222-4333-8444-555555555555';
const start_datetime = '2026-01-10T00:00:00Z';
const actions = discoverActions(handlers).actions.map(({ id }) => id);

type Ending = (sent: string) => Response;

const answer =
  (status: number, headers: Readonly<Record<string, string>> = {}): Ending =>
  (sent) =>
    new Response(`<html>you sent ${sent}</html>`, { status, headers });

/** How a site or a platform fails that repeats what it was sent. */
const endings: Readonly<Record<string, Ending>> = {
  'a page in place of an answer': answer(200),
  '400': answer(400),
  '401': answer(401),
  '403': answer(403),
  '404': answer(404),
  '429': answer(429, { 'retry-after': '1' }),
  '500': answer(500),
  '503': answer(503),
  'a redirect': answer(302, { location: 'http://c4n4ry.example/c4n4ry' }),
  'a lost connection': () => Response.error(),
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const message = (data: object, attributes: object): object => ({
  message: { data: Buffer.from(JSON.stringify(data)).toString('base64'), attributes, messageId: 'c4n4ry' },
});

/** A runner with its own actions whose platform and site are on loopback, and nobody waits between tries. */
const setUp = async (t: ExecutionContext, auth: object) => {
  const platform = await loopbackPlatform(t, park);
  platform.baseUrl = platform.env['PLATFORM_API_BASE_URL'] ?? '';
  platform.configurations = {
    ...Object.fromEntries(actions.map((action) => [action, { start_datetime }])),
    auth,
  };
  const config = configOf(platform.env);
  const { bus } = await busOf(t, config);
  const clock = { ...systemClock, sleep: turn };
  const runner = await startRunner(t, { config, bus, kv: await storeOf(t), clock });
  return { platform, ...runner };
};

/** Label values of the service's own metrics are words that it knows. */
const assertClean = async (t: ExecutionContext, { call }: Pick<Awaited<ReturnType<typeof setUp>>, 'call'>) => {
  const { text } = await call('/metrics');
  t.notRegex(text, /c4n4ry/i);
  t.deepEqual(strangeLabels(text), []);
  return text;
};

for (const [kind, auth] of [
  ['token', { token: 'c4n4ry-site-token' }],
  ['password', { authentication_type: 'username_password', username: 'ranger', password: 'c4n4ry-password' }],
] as const)
  test(`however a site fails, nothing of its ${kind} stands in the metrics`, async (t) => {
    const w = await setUp(t, auth);
    let ending: Ending | undefined;
    w.platform.onCall = ({ url, headers }) => {
      if (url === '/oauth2/token' && ending !== endings['401'])
        return Response.json({ access_token: 'c4n4ry-issued', expires_in: 1 });
      if (!url.startsWith('/api/') && url !== '/oauth2/token') return undefined;
      return ending?.(`${headers['authorization']} ${JSON.stringify(auth)}`);
    };
    for (ending of Object.values(endings))
      for (const action of actions) t.true([200, 500].includes((await w.execute(park, action)).status));
    const text = await assertClean(t, w);
    t.regex(text, /^relay_action_runs_total\{action="pull_events",outcome="failed"\} \d+$/m);
    t.regex(text, /^relay_http_calls_total\{upstream="site",outcome="401"\} \d+$/m);
    t.regex(text, /^relay_http_calls_total\{upstream="site",outcome="http_reset"\} \d+$/m);
  });

test('however the platform fails, nothing of what it is shown stands in the metrics', async (t) => {
  const w = await setUp(t, { token: 'c4n4ry-site-token' });
  for (const path of ['/token', '/v2/'])
    for (const ending of Object.values(endings)) {
      w.platform.onCall = ({ url, headers }) =>
        url.startsWith(path) ? ending(`${headers['authorization']} ${clientSecret}`) : undefined;
      await w.execute(park, 'auth');
    }
  const text = await assertClean(t, w);
  t.regex(text, /^relay_http_calls_total\{upstream="platform",outcome="http_reset"\} \d+$/m);
});

test('what callers make up is no label: tokens, actions, integrations, types of data', async (t) => {
  const w = await setUp(t, { token: 'c4n4ry-site-token' });
  const headers = { authorization: 'Bearer c4n4ry-caller', 'content-type': 'application/json' };
  t.is((await w.call('/v1/actions/', { headers })).status, 401);
  await w.execute(park, 'c4n4ry_action');
  await w.execute('c4n4ry', 'auth', { config_overrides: { token: 'c4n4ry-override' } });
  for (const path of ['/', '/push-data', '/config-events/', '/c4n4ry']) {
    await w.call(path, { method: 'POST', body: 'c4n4ry' });
    await w.post(path, message({ event_type: 'C4n4ry', integration_id: 'c4n4ry' }, { destination_id: 'c4n4ry' }));
    await w.post(path, message({ event_type: 'C4n4ry', action_id: 'c4n4ry', integration_id: park }, {}));
  }
  const text = await assertClean(t, w);
  t.regex(text, /^relay_action_runs_total\{action="unknown",outcome="refused"\} \d+$/m);
  t.regex(text, /^relay_dead_letters_total\{kind="push_envelope",reason="request_malformed"\} \d+$/m);
});
