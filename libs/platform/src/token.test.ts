import { inspect } from 'node:util';
import { isRelayError, RelayError, type ErrorCode } from '@ranger-relay/errors';
import { httpAnswer, broken, scriptedHttp, type Script } from '@ranger-relay/http/testing';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createTokenSource, type TokenSettings } from './token.ts';

const settings: TokenSettings = {
  tokenUrl: 'https://login.example/token',
  clientId: 'relay',
  clientSecret: 'c4n4ry',
  grant: 'client_credentials',
};

const setUp = (script: Script, more: Partial<TokenSettings> = {}) => {
  const clock = manualClock();
  const http = scriptedHttp(script);
  return { clock, http, tokens: createTokenSource({ ...settings, ...more }, http, clock) };
};

const numbered = (expiresIn: unknown): Script => {
  let n = 0;
  return () => httpAnswer(200, { access_token: `t${(n += 1)}`, token_type: 'Bearer', expires_in: expiresIn });
};

test('the form holds what the platform wants, for both grants', async (t) => {
  const plain = setUp(numbered(300));
  await plain.tokens.token();
  t.like(plain.http.requests[0], { method: 'POST', url: settings.tokenUrl, connectMs: 3_000, totalMs: 20_000 });
  const common = { client_id: 'relay', client_secret: 'c4n4ry', scope: 'openid' };
  t.deepEqual(plain.http.requests[0]?.form, { ...common, grant_type: 'client_credentials' });
  const ticket = setUp(numbered(300), { grant: 'uma-ticket', audience: 'api' });
  await ticket.tokens.token();
  t.deepEqual(ticket.http.requests[0]?.form, {
    ...common,
    audience: 'api',
    grant_type: 'urn:ietf:params:oauth:grant-type:uma-ticket',
  });
});

test('one call serves everybody until 60 s before the end, whatever the wall clock does', async (t) => {
  const { clock, http, tokens } = setUp(numbered(172_800));
  t.deepEqual(await Promise.all([tokens.token(), tokens.token(), tokens.token()]), ['t1', 't1', 't1']);
  clock.jump(-86_400_000);
  await clock.advance(172_739_000);
  clock.jump(400_000_000);
  t.is(await tokens.token(), 't1');
  await clock.advance(1_000);
  t.is(await tokens.token(), 't2');
  t.is(http.requests.length, 2);
});

test('a short-lived token serves for half its life, one without a time for some minutes', async (t) => {
  const short = setUp(numbered(40));
  await short.tokens.token();
  await short.clock.advance(19_999);
  t.is(await short.tokens.token(), 't1');
  await short.clock.advance(1);
  t.is(await short.tokens.token(), 't2');
  for (const odd of [undefined, null, 'soon', -1]) {
    const { clock, tokens } = setUp(numbered(odd));
    await tokens.token();
    await clock.advance(239_000);
    t.is(await tokens.token(), 't1');
  }
});

test('a token that is not taken is replaced, a late complaint about an old one is not heard', async (t) => {
  const { http, tokens } = setUp(numbered(300));
  const old = await tokens.token();
  tokens.invalidate(old);
  t.is(await tokens.token(), 't2');
  tokens.invalidate(old);
  t.is(await tokens.token(), 't2');
  t.is(http.requests.length, 2);
});

test('while the renewal fails the old token serves to its end', async (t) => {
  let down = false;
  const good = numbered(300);
  const { clock, tokens } = setUp((request) => (down ? broken('http_connect') : good(request)));
  await tokens.token();
  down = true;
  await clock.advance(250_000);
  t.is(await tokens.token(), 't1');
  await clock.advance(50_000);
  const error = await t.throwsAsync(tokens.token());
  t.true(isRelayError(error, 'platform_unavailable'));
  down = false;
  t.is(await tokens.token(), 't2');
});

for (const status of [400, 401, 403])
  test(`${status} refuses the credentials`, async (t) => {
    const error = await t.throwsAsync(setUp(() => httpAnswer(status, { error: 'c4n4ry' })).tokens.token(), {
      instanceOf: RelayError,
    });
    t.is(error.code, 'platform_token_refused');
    t.false(inspect(error, { depth: 9, showHidden: true }).includes('c4n4ry'));
  });

const transient: [string, Script, ErrorCode][] = [
  ['500', () => httpAnswer(500), 'platform_unavailable'],
  ['302', () => httpAnswer(302), 'platform_unavailable'],
  ['429', () => httpAnswer(429, '', { retryAfterMs: 5_000 }), 'platform_rate_limited'],
  ['half a body', () => httpAnswer(200, '{"access_tok'), 'platform_unavailable'],
  ['no token', () => httpAnswer(200, { access_token: '' }), 'platform_unavailable'],
  ['no answer', () => broken('http_timeout', { ambiguous: true }), 'platform_unavailable'],
];
for (const [what, script, code] of transient)
  test(`${what} is transient, and the next call asks again`, async (t) => {
    const { http, tokens } = setUp(script);
    for (const count of [1, 2]) {
      const error = await t.throwsAsync(tokens.token(), { instanceOf: RelayError });
      t.is(error.code, code);
      t.false(error.ambiguous);
      t.is(http.requests.length, count);
    }
  });
