import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { isRelayError } from '@ranger-relay/errors';
import test, { type ExecutionContext } from 'ava';
import { data, fakeSite } from './test/fake-site.ts';
import { loopbackTls } from '@ranger-relay/runtime/testing';

const serveTls = async (t: ExecutionContext): Promise<string> => {
  const server = createServer(loopbackTls, (_, answer) => answer.end('{"data":{}}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};

test('a certificate that is not trusted ends the call at once, with what to do', async (t) => {
  const { site, waits } = await fakeSite(t, data({}), { address: await serveTls(t) });
  const error = await t.throwsAsync(site.probe());
  t.true(isRelayError(error, 'site_untrusted'));
  t.regex(error?.message ?? '', /--ca-file/);
  t.is(waits.length, 0);
});

test('with its authority a site of one’s own certificate is reached, by https unless http is written out', async (t) => {
  const { site } = await fakeSite(t, data({}), { address: await serveTls(t), ca: loopbackTls.cert });
  await t.notThrowsAsync(site.probe());
});
