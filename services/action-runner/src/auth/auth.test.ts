import { broken, httpAnswer } from '@ranger-relay/http/testing';
import test from 'ava';
import { password, token } from '../test/site.ts';
import { createHarness } from '../test/harness.ts';

const byPassword = { authentication_type: 'username_password', username: 'ranger', password };

const auth = async (config: object, prepare: (harness: ReturnType<typeof createHarness>) => void = () => undefined) => {
  const harness = createHarness();
  harness.platform.configs['auth'] = {};
  prepare(harness);
  const outcome = await harness.run('auth', config);
  return { harness, outcome, result: (outcome as { result?: unknown }).result as Record<string, unknown> };
};

test('a token is valid when its owner is active', async (t) => {
  const { result, harness } = await auth({ token });
  t.deepEqual(result, { valid_credentials: true });
  t.is(harness.site.asked('user/me').length, 1);
});

test('a token whose owner is not active, or of whom that is not said, is not valid', async (t) => {
  for (const me of [{ is_active: false }, {}, [], 'yes', { is_active: 'true' }]) {
    const { result } = await auth({ token }, ({ site }) => (site.payloads['user/me'] = me));
    t.is(result['valid_credentials'], false);
    t.is(typeof result['error'], 'string');
  }
});

test('a password is valid when the token call answers 200', async (t) => {
  const { result, harness } = await auth(byPassword, ({ site }) => {
    site.onRequest = (url) =>
      url.pathname === '/oauth2/token' ? httpAnswer(200, { access_token: 'x', expires_in: 60 }) : undefined;
  });
  t.deepEqual(result, { valid_credentials: true });
  t.deepEqual(
    harness.site.requests.map(({ method, url, form }) => [method, url, form]),
    [
      [
        'POST',
        'https://site.example/oauth2/token',
        { grant_type: 'password', username: 'ranger', password, client_id: 'relay-client' },
      ],
    ],
  );
});

for (const [what, script] of Object.entries({
  '400': () => httpAnswer(400, { error: 'invalid_grant' }),
  '401': () => httpAnswer(401),
  '403': () => httpAnswer(403),
  '404': () => httpAnswer(404),
  '500': () => httpAnswer(500),
  '503': () => httpAnswer(503),
  'a login page': () => httpAnswer(200, '<html>'),
  'a redirect': () => httpAnswer(302, '', { headers: { location: 'https://x.example' } }),
  'a lost connection': () => broken(),
}))
  for (const [kind, config] of [
    ['token', { token }],
    ['password', byPassword],
  ] as const)
    test(`${what} for a ${kind} is an answer, not a failure, and repeats no secret`, async (t) => {
      const { outcome, result, harness } = await auth(config, ({ site }) => (site.onRequest = script));
      t.is(outcome.kind, 'complete');
      t.is(result['valid_credentials'], false);
      t.true(String(result['error']).length > 10);
      t.notRegex(JSON.stringify([outcome, harness.entries, harness.lines]), /c4n4ry/);
    });

test('settings that cannot be used are answered without a call', async (t) => {
  for (const config of [
    {},
    { token: ' ' },
    { token: 'a b' },
    { ...byPassword, password: '' },
    { ...byPassword, username: '' },
  ]) {
    const { result, harness } = await auth(config);
    t.is(result['valid_credentials'], false);
    t.deepEqual(harness.site.requests, []);
  }
  const { result } = await auth({ token }, ({ platform }) => (platform.baseUrl = 'not an address'));
  t.is(result['valid_credentials'], false);
});

test('an integration that is not saved yet can be asked for', async (t) => {
  const harness = createHarness();
  const configurations = { auth: { token } };
  const integration = { unsaved: { type: 'site_connector', baseUrl: harness.platform.baseUrl, configurations } };
  t.like(await harness.start().execute({ integration, wanted: { actionId: 'auth' }, triggeredBy: 'manual' }), {
    kind: 'complete',
    result: { valid_credentials: true },
  });
});
