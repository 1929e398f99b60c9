import test from 'ava';
import { states } from './status/states.ts';
import { leads, startReplicas } from './test/replicas.ts';

test('two replicas: one works, the other takes over when it ends, and the plan is applied once', async (t) => {
  const { cluster, replica, until, stop, runJobs, ready, make } = await startReplicas(t);
  const replicas = [await replica('one', 1), await replica('two', 2)];
  make();
  await until('a Job that plans', () => cluster.running().length > 0);
  const first = (await leads(replicas[0] as never)) ? 0 : 1;
  await stop(replicas[first] as never);
  await until('the end of all', () => ready() === 'True Applied', runJobs);
  t.is(cluster.site.writes.length, 1);
  await stop(replicas[1 - first] as never);
});

test('health and metrics are served, and ready means that the cluster is known', async (t) => {
  const { cluster, replica, until, stop } = await startReplicas(t);
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

test('alerts are told what they ask for, also by a replica that never led', async (t) => {
  const { cluster, replica, until, stop, make } = await startReplicas(t);
  const replicas = [await replica('one', 1), await replica('two', 2)];
  const told = async (n: number): Promise<string> => (await replicas[n]?.context.metrics.render()) ?? '';
  await until('the first lists', () => replicas.every(({ context }) => context.health.ready().ok));
  for (const n of [0, 1]) {
    const text = await told(n);
    t.regex(text, /^relay_leader\{lease="ranger-relay-operator"\} 0$/m);
    for (const kind of ['PatrolSync', 'PatrolSyncRollback'])
      for (const state of states) t.true(text.includes(`relay_sync_objects{kind="${kind}",state="${state}"} 0`), state);
    for (const kind of ['PatrolSync', 'PatrolSyncRollback', 'Job', 'Pod', 'Lease'])
      t.true(text.includes(`relay_kube_cache_ready{kind="${kind}"} 1`), kind);
  }
  make();
  await until('a Job that plans', () => cluster.running().length > 0);
  const [leader, other] = (await leads(replicas[0] as never)) ? [0, 1] : [1, 0];
  for (const line of [
    /^relay_reconciles_total\{controller="patrolsync",outcome="again"\} [1-9]/m,
    /^relay_reconcile_seconds_count\{controller="patrolsync"\} [1-9]/m,
    /^relay_reconcile_waiting_objects\{controller="patrolsync"\} \d/m,
  ])
    t.regex(await told(leader), line);
  t.notRegex(await told(other), /^relay_reconciles_total/m);
  for (const each of replicas) await stop(each);
});

test('what changes is an event for people, each once', async (t) => {
  t.timeout(120_000);
  const { cluster, replica, until, stop, runJobs, ready, make } = await startReplicas(t);
  const replicas = await replica('one', 1);
  make();
  await until('the end of all', () => ready() === 'True Applied', runJobs);
  await stop(replicas);
  const events = cluster.objects('v1/events') as unknown as readonly {
    reason: string;
    message: string;
    count: number;
  }[];
  const said = events.map(({ reason, message }) => `${reason} ${message}`);
  t.is(new Set(said).size, said.length);
  t.true(events.some(({ reason }) => reason === 'Applied'));
  t.true(said.length <= 12, said.join('\n'));
});
