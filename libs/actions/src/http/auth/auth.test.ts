import { RelayError } from '@ranger-relay/errors';
import { commonEnv, parseEnv, splitList } from '@ranger-relay/runtime';
import test from 'ava';
import { actionsEnv, authenticateBy, commandsTopicOf } from '../../env.ts';
import { handlers } from '../../test/actions.ts';
import { httpHarness } from '../../test/http-harness.ts';
import { bearerAuth, claimsFit, oidcAuth, takeEverybody } from './authenticate.ts';

const guarded: [string, string][] = [
  ['POST', '/'],
  ['POST', '/push-data'],
  ['GET', '/v1/actions/'],
  ['POST', '/v1/actions/execute'],
  ['POST', '/config-events/'],
  ['GET', '/openapi.json'],
];
for (const [method, path] of guarded)
  test(`${method} ${path} without a token, or with a wrong one, is 401 and reads nothing`, async (t) => {
    const w = httpHarness(handlers('generic'));
    for (const authorization of [undefined, '', 'Bearer', 'Bearer wrong', 'Basic right-token', 'right-token']) {
      const headers = authorization === undefined ? {} : { authorization };
      const body = method === 'POST' ? { body: '{' } : {};
      const answer = await w.hono.request(path, { method, headers, ...body });
      t.is(answer.status, 401, authorization);
      t.is(answer.headers.get('www-authenticate'), 'Bearer');
    }
    t.deepEqual(w.bus.published, []);
  });

test('any of several tokens is taken, as a whole and in any case of the scheme', async (t) => {
  const may = bearerAuth(splitList(' one, two ,,three'));
  for (const good of ['Bearer one', 'bearer two', 'BEARER  three ']) t.true(await may(good), good);
  for (const wrong of ['Bearer on', 'Bearer onee', 'Bearer one two', 'Bearer one,two', `Bearer ${'x'.repeat(20_000)}`])
    t.false(await may(wrong), wrong.slice(0, 30));
  t.false(await bearerAuth([])('Bearer '));
  t.true(await takeEverybody(undefined));
});

const rules = {
  issuers: ['https://issuer.example'],
  audience: 'https://service.example/',
  serviceAccounts: ['a@b.c', 'd@e.f'],
};
const claims = { iss: 'https://issuer.example', aud: 'https://service.example', email: 'a@b.c', email_verified: true };

test('claims have to be of the issuer, for this service, of the verified service account', (t) => {
  t.true(claimsFit(claims, rules));
  t.true(claimsFit({ ...claims, aud: ['other', 'https://service.example/'] }, rules));
  for (const wrong of [
    { iss: 'https://other.example' },
    { aud: 'https://other.example' },
    { aud: [] },
    { email: 'x@b.c' },
    { email: undefined },
    { email_verified: false },
    { email_verified: undefined },
  ])
    t.false(claimsFit({ ...claims, ...wrong }, rules), JSON.stringify(wrong));
  for (const none of [null, 'x', {}, []]) t.false(claimsFit(none, rules));
});

test('a token that cannot be verified is refused, one that cannot be verified now comes again', async (t) => {
  const may = (verify: () => Promise<unknown>) => oidcAuth({ ...rules, verify })('Bearer token');
  t.true(await may(async () => claims));
  t.false(await may(() => Promise.reject(new Error('expired'))));
  t.false(await oidcAuth({ ...rules, verify: async () => claims })(undefined));
  await t.throwsAsync(may(() => Promise.reject(new RelayError('http_connect'))));
});

const { HTTP_ALLOWED_NETWORKS } = commonEnv;
const config = (env: NodeJS.ProcessEnv) => parseEnv({ ...actionsEnv, HTTP_ALLOWED_NETWORKS }, env);

test('without a token, or what oidc needs, the service does not start, and the variable is named', async (t) => {
  const verify = () => async () => claims;
  const audience = 'https://service.example';
  for (const [env, name] of [
    [{}, 'AUTH_TOKEN'],
    [{ AUTH_TOKEN: ' , ' }, 'AUTH_TOKEN'],
    [{ AUTH_TOKEN: 'long-enough, x' }, 'AUTH_TOKEN'],
    [{ AUTH_MODE: 'oidc' }, 'INTEGRATION_SERVICE_URL'],
    [{ AUTH_MODE: 'oidc', INTEGRATION_SERVICE_URL: audience }, 'AUTH_OIDC_SERVICE_ACCOUNT'],
    [{ AUTH_MODE: 'oidc', INTEGRATION_SERVICE_URL: audience, AUTH_OIDC_SERVICE_ACCOUNT: 'a@b.c' }, 'AUTH_OIDC_ISSUER'],
  ] as const)
    t.true(t.throws(() => authenticateBy(config(env), verify)).message.startsWith(name), name);
  const ours = { AUTH_MODE: 'oidc', INTEGRATION_SERVICE_URL: audience, AUTH_OIDC_ISSUER: claims.iss };
  const oidc = config({ ...ours, AUTH_OIDC_SERVICE_ACCOUNT: 'a@b.c', AUTH_OIDC_ISSUER: 'https://other.example' });
  t.true(await authenticateBy(config({ AUTH_TOKEN: 'first-token,second-token' }), verify)('Bearer second-token'));
  t.true(await authenticateBy(config({ AUTH_MODE: 'none' }), verify)(undefined));
  t.false(await authenticateBy(oidc, verify)('Bearer token'));
  t.true(await authenticateBy(config({ ...ours, AUTH_OIDC_SERVICE_ACCOUNT: 'a@b.c' }), verify)('Bearer token'));
  t.false(await authenticateBy(config({ ...ours, AUTH_OIDC_SERVICE_ACCOUNT: 'x@b.c' }), verify)('Bearer token'));
  const several = config({ ...ours, AUTH_OIDC_SERVICE_ACCOUNT: 'x@b.c, a@b.c' });
  t.true(await authenticateBy(several, verify)('Bearer token'), 'any of several accounts');
});

test('variables have the defaults of the spec', (t) => {
  t.like(config({}), {
    MAX_ACTION_EXECUTION_TIME: 540,
    PROCESS_PUBSUB_MESSAGES_IN_BACKGROUND: false,
    AUTH_MODE: 'bearer',
    ACTIONS_MAX_BODY_BYTES: 10_485_760,
  });
  t.true(config({ PROCESS_PUBSUB_MESSAGES_IN_BACKGROUND: 'True' }).PROCESS_PUBSUB_MESSAGES_IN_BACKGROUND);
  t.is(commandsTopicOf(config({}), 'site_connector'), 'site_connector-actions-topic');
  t.is(commandsTopicOf(config({ INTEGRATION_COMMANDS_TOPIC: 'other' }), 'site_connector'), 'other');
});
