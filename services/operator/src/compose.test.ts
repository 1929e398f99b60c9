import test from 'ava';
import { states } from './status/states.ts';
import { startOperators } from './test/operators.ts';

const alone = ['one', 'two', 'three', 'four'].map((name) => ({ name, site: `${name}.example` }));
const shared = ['north', 'south'].map((name) => ({ name, site: 'shared.example' }));
const objects = [...alone, ...shared];
const sites = [...new Set(objects.map(({ site }) => site))];

test('two operators at once: each plan is applied once, one object at a time writes to a site, and nothing is taken back', async (t) => {
  t.timeout(120_000);
  const { cluster, start, until, stop, runJobs, ready, make, giveToken } = await startOperators(t);
  const writers = new Set<string>();
  cluster.server.store.onEntry(({ collection, after }) => {
    if (collection !== 'batch/v1/jobs' || !after) return;
    for (const site of sites) {
      const writing = cluster.running().filter((job) => {
        const args = job.spec?.template.spec?.containers[0]?.args ?? [];
        return args.includes('apply') && args.includes(`--site-endpoint=${site}`);
      });
      if (writing.length > 1) writers.add(site);
    }
  });
  for (const site of sites) giveToken(site);
  const both = [await start(1), await start(2)];
  await until('the first lists', () => both.every(({ context }) => context.health.ready().ok));
  for (const { name, site } of objects) make(name, site);
  const areReady = (): boolean => objects.every(({ name }) => ready(name) === 'True Applied');
  await until('the end of all', areReady, runJobs);
  for (const site of sites) t.is(new Set(cluster.siteAt(site).writes).size, cluster.siteAt(site).writes.length, site);
  t.deepEqual([...writers], []);
  for (const { name } of alone) {
    const jobs = cluster
      .objects('batch/v1/jobs')
      .filter(({ metadata }) => metadata.ownerReferences?.[0]?.name === name);
    const commands = jobs.map(({ metadata }) => metadata.labels?.['ranger-relay.dev/command']);
    t.deepEqual(commands.toSorted(), ['apply', 'plan', 'verify'], name);
  }
  // What followed the last status, such as an event or a Lease that is given back, is written by then.
  const { store } = cluster.server;
  let [version, quiet] = [0, 0];
  await until('two minutes without a write', () => {
    quiet = store.version() === version ? quiet + 1 : 0;
    version = store.version();
    return quiet > 480;
  });
  t.true(areReady());
  for (const each of both) await stop(each);
});

test('one operator goes on where the other one ended', async (t) => {
  const { cluster, start, until, stop, runJobs, ready, make } = await startOperators(t);
  const first = await start(1);
  make();
  await until('a Job that plans', () => cluster.running().length > 0);
  await stop(first);
  const second = await start(2);
  await until('the end of all', () => ready() === 'True Applied', runJobs);
  t.is(cluster.site.writes.length, 1);
  await stop(second);
});

test('health and metrics are served, ready means that the cluster is known, and nothing is done before', async (t) => {
  const { cluster, start, until, stop, make } = await startOperators(t);
  cluster.server.onRequest({ kind: 'status', status: 503 }, { path: '/pods', count: 3 });
  make();
  const one = await start();
  const status = async (path: string) => (await fetch(`http://127.0.0.1:${one.port}/${path}`)).status;
  t.is(await status('livez'), 200);
  t.is(await status('readyz'), 503);
  await until('all lists', () => {
    const isReady = one.context.health.ready().ok;
    if (!isReady) t.deepEqual(cluster.objects('batch/v1/jobs'), []);
    return isReady;
  });
  t.is(await status('readyz'), 200);
  await until('a Job', () => cluster.objects('batch/v1/jobs').length > 0);
  await stop(one);
});

test('alerts are told what they ask for', async (t) => {
  const { cluster, start, until, stop, make } = await startOperators(t);
  const one = await start();
  await until('the first lists', () => one.context.health.ready().ok);
  const before = await one.context.metrics.render();
  for (const kind of ['PatrolSync', 'PatrolSyncRollback'])
    for (const state of states) t.true(before.includes(`relay_sync_objects{kind="${kind}",state="${state}"} 0`), state);
  for (const kind of ['PatrolSync', 'PatrolSyncRollback', 'Job', 'Pod', 'Lease'])
    t.true(before.includes(`relay_kube_cache_ready{kind="${kind}"} 1`), kind);
  make();
  await until('a Job that plans', () => cluster.running().length > 0);
  const after = await one.context.metrics.render();
  for (const line of [
    /^relay_reconciles_total\{controller="patrolsync",outcome="again"\} [1-9]/m,
    /^relay_reconcile_seconds_count\{controller="patrolsync"\} [1-9]/m,
    /^relay_reconcile_waiting_objects\{controller="patrolsync"\} \d/m,
    /^relay_kube_calls_total\{verb="list",outcome="ok"\} [1-9]/m,
  ])
    t.regex(after, line);
  await stop(one);
});

test('what changes is an event for people, each once, also by two operators', async (t) => {
  t.timeout(120_000);
  const { cluster, start, until, stop, runJobs, ready, make } = await startOperators(t);
  const both = [await start(1), await start(2)];
  make();
  await until('the end of all', () => ready() === 'True Applied', runJobs);
  for (const each of both) await stop(each);
  const events = cluster.objects('v1/events') as unknown as readonly { reason: string; message: string }[];
  const said = events.map(({ reason, message }) => `${reason} ${message}`);
  t.is(new Set(said).size, said.length);
  t.true(events.some(({ reason }) => reason === 'Applied'));
  t.true(said.length <= 12, said.join('\n'));
});
