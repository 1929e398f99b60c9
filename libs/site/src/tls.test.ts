import { isRelayError } from '@ranger-relay/errors';
import test, { type ExecutionContext } from 'ava';
import { data, loopbackSite } from './test/fake-site.ts';
import { serveHttp } from '@ranger-relay/http/testing';
import { loopbackTls } from '@ranger-relay/runtime/testing';

const serveTls = async (t: ExecutionContext): Promise<string> =>
  `127.0.0.1:${await serveHttp(t, (_, answer) => answer.end('{"data":{}}'), loopbackTls)}`;

test('a certificate that is not trusted ends the call at once, with what to do', async (t) => {
  const { site, waits } = await loopbackSite(t, data({}), { address: await serveTls(t) });
  const error = await t.throwsAsync(site.probe());
  t.true(isRelayError(error, 'site_untrusted'));
  t.regex(error?.message ?? '', /--ca-file/);
  t.is(waits.length, 0);
});

test('with its authority a site of one’s own certificate is reached, by https unless http is written out', async (t) => {
  const { site } = await loopbackSite(t, data({}), { address: await serveTls(t), ca: loopbackTls.cert });
  await t.notThrowsAsync(site.probe());
});

test('a site without TLS is named as one, with what to write', async (t) => {
  const port = await serveHttp(t, (_, answer) => answer.end('{"data":{}}'));
  const { site } = await loopbackSite(t, data({}), { address: `127.0.0.1:${port}`, patienceMs: 0 });
  const error = await t.throwsAsync(site.probe());
  t.regex(error?.message ?? '', /it does not speak TLS; for a site without TLS write http:\/\//);
});
