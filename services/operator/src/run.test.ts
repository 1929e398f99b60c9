import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import type { OutsideOptions } from './run.ts';
import { syncsOf } from './test/cluster.ts';
import { startApiServer } from './testing/api-server.ts';

/** The operator in a process of its own, in a pod or outside of the cluster. */
const startOperator = (t: ExecutionContext, env: Readonly<Record<string, string>>, outside?: OutsideOptions) => {
  const run = `import { runOperator } from './src/run.ts';
    process.exitCode = await runOperator(process, ${JSON.stringify(outside)});`;
  const args = ['--conditions=@ranger-relay/source', '--input-type=module', '--eval', run];
  const child = spawn(process.execPath, args, {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { JOB_IMAGE: 'sync-tool:1', PORT: '0', HOST: '127.0.0.1', ...env },
  });
  t.teardown(() => child.kill('SIGKILL'));
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, ended, text: () => text };
};

/** A kubeconfig of a server, with the namespace `patrols`. */
const kubeconfigOf = async (t: ExecutionContext, server: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'operator-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'config');
  const config = {
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'one', user: 'me', namespace: 'patrols' } }],
    clusters: [{ name: 'one', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'me', user: { token: 'one' } }],
  };
  await writeFile(file, JSON.stringify(config));
  return file;
};

test('without a service account it ends, and says what to do', async (t) => {
  t.timeout(120_000);
  const { ended, text } = startOperator(t, { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: '1' });
  t.is(await ended, 1);
  t.regex(text(), /kube_access_missing/);
});

for (const [namespace, of] of [
  [undefined, 'patrols'],
  ['operators', 'operators'],
] as const)
  test(`by a kubeconfig it does what it does in a pod, with the Leases of sites in ${of}`, async (t) => {
    t.timeout(120_000);
    const server = await startApiServer(t, { token: 'one' });
    for (const park of ['park', 'other'])
      server.call('POST', `/apis/ranger-relay.dev/v1alpha1/namespaces/${park}/patrolsyncs`, {
        apiVersion: 'ranger-relay.dev/v1alpha1',
        kind: 'PatrolSync',
        metadata: { name: 'north', namespace: park },
        spec: {
          bundle: { configMap: 'bundle' },
          output: { claimName: 'output' },
          site: { endpoint: 'site.example', token: { name: 'site' } },
        },
      });
    const told = Promise.withResolvers<unknown>();
    server.store.onEntry(({ collection, after }) => {
      if (collection === syncsOf && after?.['status']) told.resolve(after);
    });
    const kubeconfig = await kubeconfigOf(t, server.url);
    const { child, ended, text } = startOperator(t, { WATCH_NAMESPACE: 'park' }, { kubeconfig, namespace });
    const object = await Promise.race([told.promise, ended]);
    t.like(object, { metadata: { namespace: 'park' }, status: { step: 'WaitSecret' } }, text());
    t.true(server.requests.some(({ path }) => path === `/apis/coordination.k8s.io/v1/namespaces/${of}/leases`));
    child.kill();
    t.is(await ended, 0, text());
    t.is(server.store.get(syncsOf, 'other/north')?.['status'], undefined);
  });
