import { isRelayError } from '@ranger-relay/errors';
import { broken, httpAnswer } from '@ranger-relay/http/testing';
import test from 'ava';
import { data, passwordCanary, scriptedSite, tokenCanary, type Script } from '../test/scripted-site.ts';

const credentials = { kind: 'password', username: 'ranger', password: passwordCanary } as const;

/** A site that gives tokens t1, t2, … and takes those of `good`. */
const withTokens = (expires: unknown = 3_600, good: (token: string) => boolean = () => true) => {
  let made = 0;
  const script: Script = ({ headers }, url) => {
    if (url.pathname === '/oauth2/token')
      return httpAnswer(200, { access_token: `t${(made += 1)}`, expires_in: expires });
    return good(headers?.['authorization']?.replace('Bearer ', '') ?? '') ? data('ok') : httpAnswer(401);
  };
  return { ...scriptedSite(script, { credentials }), made: () => made };
};

test('a password is traded for a token at the root, as a form', async (t) => {
  const { reader, requests, asked } = withTokens();
  await reader.get('x');
  t.deepEqual(asked(), ['POST /oauth2/token', 'GET /api/v1.0/x']);
  t.deepEqual(requests[0]?.form, {
    grant_type: 'password',
    username: 'ranger',
    password: passwordCanary,
    client_id: 'relay-client',
  });
  t.is(requests[1]?.headers?.['authorization'], 'Bearer t1');
});

test('callers at the same time share one call', async (t) => {
  const { reader, made } = withTokens();
  await Promise.all(Array.from({ length: 10 }, () => reader.get('x')));
  t.is(made(), 1);
});

test('it is renewed 5 minutes before its end, a short one at half its life', async (t) => {
  const long = withTokens(3_600);
  await long.reader.get('x');
  await long.clock.advance(3_299_000);
  await long.reader.get('x');
  t.is(long.made(), 1);
  await long.clock.advance(2_000);
  await long.reader.get('x');
  t.is(long.made(), 2);
  const short = withTokens(60);
  await short.reader.get('x');
  await short.clock.advance(31_000);
  await short.reader.get('x');
  t.is(short.made(), 2);
});

test('on 401 a new one is asked for and the call repeated, once', async (t) => {
  const once = withTokens(3_600, (token) => token === 't2');
  t.is(await once.reader.get('x'), 'ok');
  t.is(once.made(), 2);
  const never = withTokens(3_600, () => false);
  const error = await t.throwsAsync(never.reader.get('x'));
  t.true(isRelayError(error, 'site_credentials_refused'));
  t.is(never.made(), 2);
});

test('callers whose token ended at the same time share its renewal', async (t) => {
  const { reader, made } = withTokens(3_600, (token) => token === 't2');
  await Promise.all(Array.from({ length: 4 }, () => reader.get('x')));
  t.is(made(), 2);
});

for (const status of [400, 401, 403])
  test(`credentials that are answered ${status} are refused, and not tried again`, async (t) => {
    const { reader, requests } = scriptedSite(() => httpAnswer(status, { error: 'invalid_grant' }), { credentials });
    t.true(isRelayError(await t.throwsAsync(reader.signIn()), 'site_credentials_refused'));
    t.is(requests.length, 1);
  });

test('a token call that gets no answer is tried like any other, and fails as transient', async (t) => {
  const { reader, waits } = scriptedSite(() => broken('http_reset'), { credentials });
  t.true(isRelayError(await t.throwsAsync(reader.signIn()), 'site_unavailable'));
  t.deepEqual(waits, [1_000, 2_000, 4_000]);
});

test('an answer without a token is none', async (t) => {
  for (const body of ['<html>', {}, { access_token: '' }]) {
    const { reader } = scriptedSite(() => httpAnswer(200, body), { credentials });
    t.true(isRelayError(await t.throwsAsync(reader.signIn()), 'site_answer_unreadable'));
  }
});

test('credentials that cannot be sent are told without being repeated', (t) => {
  for (const bad of [
    { kind: 'token', token: '  ' },
    { kind: 'token', token: `two ${tokenCanary}` },
    { kind: 'token', token: `line\n${tokenCanary}` },
    { kind: 'password', username: '', password: passwordCanary },
    { kind: 'password', username: 'ranger', password: '' },
  ] as const) {
    const error = t.throws(() => scriptedSite(() => data({}), { credentials: bad }));
    t.true(isRelayError(error, 'site_credentials_invalid'));
    t.notRegex(error.message, /c4n4ry/);
  }
});

test('neither token nor password stands in errors or in the log', async (t) => {
  for (const status of [400, 401, 403, 404, 500]) {
    const { reader, lines } = scriptedSite(
      (_request, url) =>
        url.pathname === '/oauth2/token' ? httpAnswer(200, { access_token: tokenCanary }) : httpAnswer(status),
      { credentials },
    );
    const error = await t.throwsAsync(reader.get('x'));
    t.notRegex(`${String(error)} ${JSON.stringify(error)} ${error?.stack} ${JSON.stringify(lines)}`, /c4n4ry/);
  }
});
