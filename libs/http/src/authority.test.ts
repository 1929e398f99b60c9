import { isRelayError } from '@ranger-relay/errors';
import test, { type ExecutionContext } from 'ava';
import { clientFor, serveHttp } from './testing/loopback.ts';
import { loopbackTls } from '@ranger-relay/runtime/testing';

const serveTls = async (t: ExecutionContext): Promise<string> =>
  `https://127.0.0.1:${await serveHttp(t, (_, answer) => answer.end('{"ok":true}'), loopbackTls)}/`;

test('a certificate of an unknown authority is refused before anything is sent, and named by its code', async (t) => {
  const url = await serveTls(t);
  const error = await t.throwsAsync(clientFor(t).request({ method: 'GET', url }));
  t.true(isRelayError(error, 'http_connect'));
  t.regex(error.message, /SELF_SIGNED_CERT/);
});

test('an authority that is handed in is trusted', async (t) => {
  const url = await serveTls(t);
  const answer = await clientFor(t, { ca: loopbackTls.cert }).request({ method: 'GET', url });
  t.deepEqual(answer.json(), { ok: true });
});
