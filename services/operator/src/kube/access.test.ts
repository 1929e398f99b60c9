import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRelayError } from '@ranger-relay/errors';
import { loopbackTls, manualClock, testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { type ApiServerOptions, startApiServer } from '../testing/api-server.ts';
import { loadFromFile, loadFromPod } from './access.ts';
import * as client from './client-node.ts';
import { createKubeClient, type KubeClientOptions } from './client.ts';

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

const serverOf = async (t: ExecutionContext, options: ApiServerOptions) => {
  const { url, setToken } = await startApiServer(t, { tls: loopbackTls, ...options });
  return { server: url, setToken };
};

const ca = { 'certificate-authority-data': base64(loopbackTls.cert) };
const inPark = (file: string) => loadFromFile(client, { file, context: 'park' });

/** A client whose access is loaded so. */
const opened = (load: KubeClientOptions['load']) =>
  createKubeClient({ client, load, clock: manualClock(), metrics: testContext().metrics });
const open = (file: string) => opened(() => inPark(file));

/** Lists pods; what the API server answers is a list, or an error that names the reason. */
const list = (opened: Awaited<ReturnType<typeof open>>): Promise<string> =>
  opened.core.listPodForAllNamespaces().then(
    () => 'PodList',
    (error: unknown) => (isRelayError(error) ? error.code : String(error)),
  );

test('client certificates let in whoever has them, and nobody else', async (t) => {
  const { server } = await serverOf(t, { tls: { ...loopbackTls, ca: loopbackTls.cert, requestCert: true } });
  const own = { 'client-certificate-data': base64(loopbackTls.cert), 'client-key-data': base64(loopbackTls.key) };
  t.is(await list(await open(await write(t, { server, ...ca }, own))), 'PodList');
  t.is(await list(await open(await write(t, { server, ...ca }, {}))), 'kube_unreachable');
  t.is(await list(await open(await write(t, { server }, own))), 'kube_unreachable');
});

test('a token is sent, and read anew from the file when it is refused', async (t) => {
  const { server, setToken } = await serverOf(t, { token: 'one' });
  const file = await write(t, { server, ...ca }, { token: 'one' });
  const access = await open(file);
  t.is(await list(access), 'PodList');
  setToken('two');
  await rename(await write(t, { server, ...ca }, { token: 'two' }), file);
  t.is(await list(access), 'kube_unauthorized');
  t.is(await list(access), 'PodList');
});

test('a name and its password are sent', async (t) => {
  const config = await inPark(await write(t, { server: 'https://host', ...ca }, { username: 'me', password: 'p' }));
  const options: { auth?: string } = {};
  await config.applyToHTTPSOptions(options);
  t.is(options.auth, 'me:p');
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
  const access = await open(await write(t, { server, ...ca }, user));
  t.deepEqual(await Promise.all([list(access), list(access)]), ['PodList', 'PodList']);
  t.is(await runs(), 1);
  setToken('two');
  await print(credential('two'));
  t.is(await list(access), 'kube_unauthorized');
  t.is(await list(access), 'PodList');
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
  t.is(await list(await open(await write(t, cluster, {}))), 'PodList');
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
    await problemOf(t, loadFromFile(client, { file, context: 'other' })),
    /no context "other"; see whether "kubectl /,
  );
  t.regex(await problemOf(t, loadFromFile(client, { file })), /no cluster for the context "away"/);
  t.regex(await problemOf(t, inPark(join(await folderOf(t), 'none'))), /ENOENT/);
  const broken = join(await folderOf(t), 'broken');
  await writeFile(broken, 'users:\n- user:\n    token: canary\n   oops: [');
  t.notRegex(await problemOf(t, inPark(broken)), /canary|oops/);
  const { user } = await plugin(t, 'canary');
  const told = await problemOf(t, inPark(await write(t, cluster, user)));
  t.regex(told, /printed no JSON/);
  t.notRegex(told, /canary/);
  const absent = { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: '/none' } };
  t.regex(await problemOf(t, inPark(await write(t, cluster, absent))), /spawn \/none ENOENT/);
});

/** The files that Kubernetes mounts into a pod, below a folder of the test. */
const mount = async (t: ExecutionContext, files: Readonly<Record<string, string>>) => {
  const root = await folderOf(t);
  const folder = join(root, 'var/run/secrets/kubernetes.io/serviceaccount');
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return { root, token: join(folder, 'token') };
};
const mounted = { token: 'one', 'ca.crt': loopbackTls.cert, namespace: 'operators' };
const addressOf = (server: string): NodeJS.ProcessEnv => {
  const { hostname, port } = new URL(server);
  return { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
};

test.serial(
  'a pod finds its server, its namespace and its login, and a new token when the old one is refused',
  async (t) => {
    const { server, setToken } = await serverOf(t, { token: 'one' });
    Object.assign(process.env, addressOf(server));
    const { root, token } = await mount(t, mounted);
    const config = await loadFromPod(client, root);
    t.is(config.getContextObject(config.currentContext)?.namespace, 'operators');
    const access = await opened(() => loadFromPod(client, root));
    t.is(await list(access), 'PodList');
    setToken('two');
    await writeFile(token, 'two');
    t.is(await list(access), 'kube_unauthorized');
    t.is(await list(access), 'PodList');
    await rm(token);
    t.is(await list(access), 'PodList');
  },
);

for (const [what, files, env] of [
  ['no token', { 'ca.crt': 'PEM' }, addressOf('https://10.0.0.1:6443')],
  ['no certificate', { token: 'one' }, addressOf('https://10.0.0.1:6443')],
  ['no address', mounted, { KUBERNETES_SERVICE_HOST: '', KUBERNETES_SERVICE_PORT: '' }],
] as const)
  test.serial(`there is no access with ${what}, and the error says what to do`, async (t) => {
    Object.assign(process.env, env);
    const { root } = await mount(t, files);
    t.regex(await problemOf(t, loadFromPod(client, root)), /service account/);
  });
