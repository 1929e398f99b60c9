import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRelayError } from '@ranger-relay/errors';
import { manualClock } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { inClusterAccess } from './in-cluster.ts';

const environment = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };

const mount = async (t: ExecutionContext, files: Record<string, string>): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'service-account-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
};

const all = { token: 'one\n', 'ca.crt': 'PEM', namespace: 'park' };

test('a pod finds its server, its namespace and its login', async (t) => {
  const folder = await mount(t, all);
  const access = await inClusterAccess({ environment, clock: manualClock(), folder });
  t.is(access.server, 'https://10.0.0.1:443');
  t.is(access.namespace, 'park');
  t.deepEqual(await access.credentials(), { headers: { authorization: 'Bearer one' }, tls: { ca: 'PEM' } });
});

test('a server with an IPv6 address stands in brackets', async (t) => {
  const folder = await mount(t, all);
  const access = await inClusterAccess({
    environment: { ...environment, KUBERNETES_SERVICE_HOST: 'fd00::1' },
    clock: manualClock(),
    folder,
  });
  t.is(access.server, 'https://[fd00::1]:443');
});

test('a new token is used within a minute, and at once when the old one is refused', async (t) => {
  const folder = await mount(t, all);
  const clock = manualClock();
  const access = await inClusterAccess({ environment, clock, folder });
  const token = async () => (await access.credentials()).headers['authorization'];
  await writeFile(join(folder, 'token'), 'two');
  t.is(await token(), 'Bearer one');
  await clock.advance(60_000);
  t.is(await token(), 'Bearer two');
  await writeFile(join(folder, 'token'), 'three');
  access.refused();
  t.is(await token(), 'Bearer three');
});

test('while the files are being swapped the last token still holds', async (t) => {
  const folder = await mount(t, all);
  const clock = manualClock();
  const access = await inClusterAccess({ environment, clock, folder });
  await rm(join(folder, 'token'));
  await clock.advance(60_000);
  t.is((await access.credentials()).headers['authorization'], 'Bearer one');
});

for (const [what, files, variables] of [
  ['no token', { ...all, token: '' }, environment],
  ['no certificate', { token: 'one' }, environment],
  ['no address', all, {}],
] as const)
  test(`there is no access with ${what}, and the error says what to do`, async (t) => {
    const folder = await mount(t, files);
    const error = await t.throwsAsync(inClusterAccess({ environment: variables, clock: manualClock(), folder }));
    t.true(isRelayError(error, 'kube_access_missing'));
    t.regex(error.message, /service account/);
  });
