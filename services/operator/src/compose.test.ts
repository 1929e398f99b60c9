import { setTimeout as wait } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { createHttpTransport, createKubeApi } from '@ranger-relay/operator-kit';
import { manualClock, seededRandom, testContext } from '@ranger-relay/runtime/testing';
import { compose } from './compose.ts';
import { parseOperatorConfig } from './config.ts';
import { startCluster } from './test/cluster.ts';

const spec = {
  bundle: { configMap: 'bundle' },
  output: { claimName: 'output' },
  site: { endpoint: 'site.example', token: { name: 'site' } },
  mode: 'apply',
  approve: 'auto',
};
const syncPath = '/apis/ranger-relay.dev/v1alpha1/namespaces/park/patrolsyncs';

/** A cluster, a clock that all share, and replicas of the operator as their processes would be. */
const startCrew = async (t: ExecutionContext) => {
  const clock = manualClock();
  const cluster = await startCluster(t, () => clock.now());
  const { server } = cluster;
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'site', namespace: 'park' },
    data: { token: 'eA==' },
  };
  server.call('POST', '/api/v1/namespaces/park/secrets', secret);

  const replica = async (identity: string, seed: number) => {
    const context = testContext({ clock, random: seededRandom(seed) });
    const access = {
      server: server.url,
      namespace: 'operators',
      credentials: () => Promise.resolve({ headers: {}, tls: {} }),
      refused: () => undefined,
    };
    const transport = createHttpTransport({ access, clock, userAgent: 'operator/test' });
    context.lifecycle.onStop('connections', () => transport.close());
    const api = createKubeApi({ transport, metrics: context.metrics });
    const config = parseOperatorConfig({ JOB_IMAGE: 'sync-tool:1', PORT: '0', HOST: '127.0.0.1' });
    const { port } = await compose(context, { api, namespace: 'operators', identity }, config);
    return { context, port };
  };

  const until = async (what: string, holds: () => boolean, beside: () => void = () => undefined): Promise<void> => {
    for (let n = 0; n < 3_000; n += 1) {
      if (holds()) return;
      beside();
      await wait(2);
      await clock.advance(250);
    }
    throw new Error(`never: ${what}`);
  };

  const stop = async ({ context }: Awaited<ReturnType<typeof replica>>): Promise<void> => {
    let stopped = false;
    void context.lifecycle.stop().then(() => (stopped = true));
    await until('the end', () => stopped);
  };

  const runJobs = (): void => {
    for (const job of cluster.running()) cluster.finish(job, 'ok');
  };
  const ready = (): string => {
    const status = (server.call('GET', `${syncPath}/north`)['status'] ?? {}) as {
      conditions?: { type: string; status: string; reason: string }[];
    };
    const found = status.conditions?.find(({ type }) => type === 'Ready');
    return `${found?.status} ${found?.reason}`;
  };
  const make = (): void =>
    void server.call('POST', syncPath, {
      apiVersion: 'ranger-relay.dev/v1alpha1',
      kind: 'PatrolSync',
      metadata: { name: 'north', namespace: 'park' },
      spec,
    });
  return { cluster, replica, until, stop, runJobs, ready, make };
};

const leads = async ({ port }: { port: number }) =>
  (await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).includes(
    'relay_leader{lease="ranger-relay-operator"} 1',
  );

test('two replicas: one works, the other takes over when it ends, and the plan is applied once', async (t) => {
  const { cluster, replica, until, stop, runJobs, ready, make } = await startCrew(t);
  const crew = [await replica('one', 1), await replica('two', 2)];
  make();
  await until('a Job that plans', () => cluster.running().length > 0);
  const first = (await leads(crew[0] as never)) ? 0 : 1;
  await stop(crew[first] as never);
  await until('the end of all', () => ready() === 'True Applied', runJobs);
  t.is(cluster.site.writes.length, 1);
  await stop(crew[1 - first] as never);
});

test('health and metrics are served, and ready means that the cluster is known', async (t) => {
  const { cluster, replica, until, stop } = await startCrew(t);
  cluster.server.faults.onRequest({ kind: 'hold' }, { path: 'patrolsyncs' });
  const one = await replica('one', 1);
  const status = async (path: string) => (await fetch(`http://127.0.0.1:${one.port}/${path}`)).status;
  t.is(await status('livez'), 200);
  t.is(await status('readyz'), 503);
  cluster.server.release();
  await until(
    'all lists',
    () => one.context.health.ready().ok,
    () => cluster.server.release(),
  );
  t.is(await status('readyz'), 200);
  await stop(one);
});
