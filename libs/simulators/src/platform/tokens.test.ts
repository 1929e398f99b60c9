import test from 'ava';
import { bodyOf, first, startHarness } from '../test/harness.ts';

const path = `/v2/integrations/${first}/`;

test('both grants get a token that opens the API', async (t) => {
  const harness = await startHarness(t);
  for (const grant_type of ['client_credentials', 'urn:ietf:params:oauth:grant-type:uma-ticket']) {
    const reply = await harness.askToken({ grant_type });
    const { access_token, token_type, expires_in } = bodyOf<Record<string, unknown>>(reply);
    t.like({ token_type, expires_in }, { token_type: 'Bearer', expires_in: 172_800 });
    const shown = await harness.call('GET', path, { headers: { authorization: `Bearer ${String(access_token)}` } });
    t.is(shown.status, 200);
  }
});

const refused: readonly (readonly [what: string, change: Record<string, string>, status: number])[] = [
  ['a wrong secret', { client_secret: 'guess' }, 401],
  ['a wrong client', { client_id: 'someone' }, 401],
  ['another grant', { grant_type: 'password' }, 400],
  ['another scope', { scope: 'profile' }, 400],
];
for (const [what, change, status] of refused)
  test(`${what} gets no token`, async (t) => {
    const reply = await (await startHarness(t)).askToken(change);
    t.is(reply.status, status);
    t.false('access_token' in bodyOf<object>(reply));
  });

test('a token request that is no form is refused', async (t) => {
  const harness = await startHarness(t);
  const reply = await harness.call('POST', '/auth/token', {
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  t.is(reply.status, 415);
});

test('a stale token is sent to a login page', async (t) => {
  const harness = await startHarness(t);
  const headers = await harness.bearer();
  harness.clock.advance(172_800_000 - 1);
  t.is((await harness.call('GET', path, { headers })).status, 200);
  harness.clock.advance(1);
  const redirect = await harness.call('GET', path, { headers });
  t.is(redirect.status, 302);
  t.truthy(redirect.headers['location']);
});

test('all tokens can be made stale at once', async (t) => {
  const harness = await startHarness(t);
  const headers = await harness.bearer();
  harness.platform.tokens.expireAll();
  t.is((await harness.call('GET', path, { headers })).status, 302);
});

test('without any token nothing is shown', async (t) => {
  const harness = await startHarness(t);
  for (const place of [path, '/v2/integrations/', `${path}api-key/`])
    t.is((await harness.call('GET', place)).status, 302);
});
