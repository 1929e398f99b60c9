import { broken, httpAnswer } from '@ranger-relay/http/testing';
import test from 'ava';
import { password, token } from '../test/site.ts';
import { createHarness } from '../test/harness.ts';

const config = { start_datetime: '2026-01-10T00:00:00Z' };
const issued = 't0k3n-c4n4ry-issued';

/** What is sent with each request is taken out of answers by the HTTP client; what is configured, by the run. */
const failuresOf = (secret: string) => ({
  'a lost connection': () => broken(),
  '400 that repeats what it was sent': () =>
    httpAnswer(400, { detail: 'you are' }, { excerpt: (max = 200) => `you are ${secret}`.slice(0, max) }),
  '401': () => httpAnswer(401),
  '403': () => httpAnswer(403),
  '500': () => httpAnswer(500),
  'a login page': () => httpAnswer(200, `<html>${secret}</html>`),
});
for (const [kind, auth, secret] of [
  ['a token', { token }, token],
  ['a password', { authentication_type: 'username_password', username: 'ranger', password }, password],
] as const)
  for (const [what, script] of Object.entries(failuresOf(secret)))
    test(`after ${what} nothing of ${kind} stands in the outcome, the log, the entries or the state`, async (t) => {
      const harness = createHarness();
      harness.platform.configs['auth'] = auth;
      harness.site.onRequest = (url) =>
        url.pathname === '/oauth2/token' ? httpAnswer(200, { access_token: issued, expires_in: 60 }) : script();
      const outcome = await harness.run('pull_observations', config);
      t.is(outcome.kind, 'failed');
      t.notRegex(JSON.stringify([outcome, harness.entries, harness.lines, harness.space.values()]), /c4n4ry/);
    });
