import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRelayError } from '@ranger-relay/errors';
import { systemClock } from '@ranger-relay/runtime';
import { loopbackTls } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { createHttpTransport } from '../http/transport.ts';
import { type ApiServerOptions, startApiServer } from '../testing/api-server/server.ts';
import type { Access } from './access.ts';
import { kubeConfigAccess } from './kubeconfig.ts';

const folderOf = async (t: ExecutionContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Writes a kubeconfig whose current context names nothing, beside one that is called `park`. */
const write = async (t: ExecutionContext, cluster: object, user: object): Promise<string> => {
  const file = join(await folderOf(t), 'config');
  const context = { cluster: 'one', user: 'me', namespace: 'patrols' };
  const config = {
    'current-context': 'away',
    contexts: [
      { name: 'away', context: { cluster: 'none', user: 'me' } },
      { name: 'park', context },
    ],
    clusters: [{ name: 'one', cluster }],
    users: [{ name: 'me', user }],
  };
  await writeFile(file, JSON.stringify(config));
  return file;
};

const serverOf = async (
  t: ExecutionContext,
  options: ApiServerOptions,
): Promise<{ server: string; setToken(token: string): void }> => {
  const server = await startApiServer({ tls: loopbackTls, ...options });
  t.teardown(() => server.close());
  return { server: server.url, setToken: server.setToken };
};

const ca = { 'certificate-authority-data': base64(loopbackTls.cert) };
const inPark = (file: string): Promise<Access> => kubeConfigAccess({ file, context: 'park' });

/** Lists pods; what the API server answers is a list, or an error that names the reason. */
const list = async (t: ExecutionContext, access: Access): Promise<string> => {
  const transport = createHttpTransport({ access, clock: systemClock, userAgent: 'kit/test' });
  t.teardown(() => transport.close());
  const answer = transport.call({ method: 'GET', path: '/api/v1/pods' });
  return answer.then(
    (list) => (list as { kind: string }).kind,
    (error: unknown) => (isRelayError(error) ? error.code : String(error)),
  );
};

test('client certificates let in whoever has them, and nobody else', async (t) => {
  const { server } = await serverOf(t, { tls: { ...loopbackTls, ca: loopbackTls.cert, requestCert: true } });
  const own = { 'client-certificate-data': base64(loopbackTls.cert), 'client-key-data': base64(loopbackTls.key) };
  const access = await inPark(await write(t, { server, ...ca }, own));
  t.like(access, { server, namespace: 'patrols' });
  t.is(await list(t, access), 'PodList');
  t.is(await list(t, await inPark(await write(t, { server, ...ca }, {}))), 'kube_unreachable');
  t.is(await list(t, await inPark(await write(t, { server }, own))), 'kube_unreachable');
});

test('a token is sent, and read anew from the file when it is refused', async (t) => {
  const { server, setToken } = await serverOf(t, { token: 'one' });
  const file = await write(t, { server, ...ca }, { token: 'one' });
  const access = await inPark(file);
  t.is(await list(t, access), 'PodList');
  setToken('two');
  await rename(await write(t, { server, ...ca }, { token: 'two' }), file);
  t.is(await list(t, access), 'kube_unauthorized');
  t.is(await list(t, access), 'PodList');
});

test('a name and its password are sent', async (t) => {
  const file = await write(t, { server: 'https://host', ...ca }, { username: 'me', password: 'p' });
  t.deepEqual((await (await inPark(file)).credentials()).headers, { authorization: `Basic ${base64('me:p')}` });
});

/** An exec plugin that prints what a file holds, and counts its runs in another one. */
const plugin = async (t: ExecutionContext, printed: string) => {
  const file = join(await folderOf(t), 'printed');
  const print = async (text: string) => writeFile(file, text);
  await print(printed);
  const apiVersion = 'client.authentication.k8s.io/v1';
  const count = join(await folderOf(t), 'count');
  const read = `const fs = require('node:fs'); fs.appendFileSync(${JSON.stringify(count)}, 'x'); process.stdout.write(fs.readFileSync(${JSON.stringify(file)}))`;
  const runs = async () => (await readFile(count, 'utf8')).length;
  return { print, runs, user: { exec: { apiVersion, command: process.execPath, args: ['--eval', read] } } };
};
const credential = (token: string): string => JSON.stringify({ kind: 'ExecCredential', status: { token } });

test('an exec plugin is asked for a token, and again when that is refused', async (t) => {
  const { server, setToken } = await serverOf(t, { token: 'one' });
  const { user, print, runs } = await plugin(t, credential('one'));
  const access = await inPark(await write(t, { server, ...ca }, user));
  t.deepEqual(await Promise.all([list(t, access), list(t, access)]), ['PodList', 'PodList']);
  t.is(await runs(), 1);
  setToken('two');
  await print(credential('two'));
  t.is(await list(t, access), 'kube_unauthorized');
  t.is(await list(t, access), 'PodList');
});

test('a proxy that the kubeconfig names is gone through', async (t) => {
  const { server } = await serverOf(t, {});
  const asked: string[] = [];
  const proxy = createServer().on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    const onward = connect(Number(new URL(server).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.teardown(() => proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const cluster = { server: 'https://localhost:6443', 'proxy-url': `http://127.0.0.1:${port}`, ...ca };
  t.is(await list(t, await inPark(await write(t, cluster, {}))), 'PodList');
  t.deepEqual(asked, ['localhost:6443']);
});

const problemOf = async (t: ExecutionContext, work: Promise<unknown>): Promise<string> => {
  const error = await t.throwsAsync(work);
  t.true(isRelayError(error, 'kube_access_missing'), String(error));
  return error.message;
};

test('what is missing is named, with what to try; a token never is', async (t) => {
  const cluster = { server: 'https://host', ...ca };
  const file = await write(t, cluster, {});
  t.regex(
    await problemOf(t, kubeConfigAccess({ file, context: 'other' })),
    /no context "other"; see whether "kubectl /,
  );
  t.regex(await problemOf(t, kubeConfigAccess({ file })), /no cluster for the context "away"/);
  t.regex(await problemOf(t, inPark(join(await folderOf(t), 'none'))), /ENOENT/);
  const broken = join(await folderOf(t), 'broken');
  await writeFile(broken, 'users:\n- user:\n    token: canary\n   oops: [');
  t.notRegex(await problemOf(t, inPark(broken)), /canary|oops/);
  const { user } = await plugin(t, 'canary');
  const told = await problemOf(t, (await inPark(await write(t, cluster, user))).credentials());
  t.regex(told, /printed no JSON/);
  t.notRegex(told, /canary/);
  const absent = { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: '/none' } };
  t.regex(await problemOf(t, (await inPark(await write(t, cluster, absent))).credentials()), /spawn \/none ENOENT/);
});
