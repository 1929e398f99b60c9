import test from 'ava';
import type { Lease } from '../kube/object.ts';
import { releaseSiteLock } from '../site-lock/site-lock.ts';
import { applies, commandOf, jobsTo, ready, runTo } from '../test/look.ts';
import { type Harness, startHarness } from '../test/harness.ts';

test('a copy that lags behind does not make a Job look deleted', async (t) => {
  const harness = await startHarness(t);
  harness.make('north', { approve: 'auto' });
  const apply = await runTo(harness, 'apply');
  const none = { get: () => undefined, values: () => [] };
  await harness.reconcile(undefined, { ...harness.caches(), jobs: none, pods: none });
  t.like(ready(harness), { reason: 'JobRunning' });
  t.is(harness.sync('north').status?.job?.uid, apply.metadata.uid);
  t.is(harness.sync('north').status?.lastRun, undefined);
});

test('a Job that has begun to write is not deleted by who has seen it before it began', async (t) => {
  const harness = await startHarness(t);
  harness.make('north', { approve: 'auto' });
  let before = harness.caches();
  for (; harness.running().every((job) => commandOf(job) !== 'apply'); await harness.reconcile()) {
    for (const job of harness.running()) harness.finish(job, 'ok');
    before = harness.caches();
  }
  harness.startPods();
  harness.edit('north', { retries: 1 });
  await harness.reconcile(undefined, { ...harness.caches(), jobs: before.jobs });
  t.is(harness.running().length, 1);
  await harness.settle();
  t.is(applies(harness).length, 1);
  t.like(ready(harness), { status: 'True', reason: 'Applied' });
});

test('a pod that the copies do not show yet is asked for before its Job counts as ended without a message', async (t) => {
  const harness = await startHarness(t);
  harness.make('north', { approve: 'auto' });
  const apply = await runTo(harness, 'apply');
  harness.finish(apply, 'ok');
  await harness.reconcile(undefined, { ...harness.caches(), pods: { get: () => undefined, values: () => [] } });
  t.like(harness.sync('north').status?.lastRun, { outcome: 'done', attempt: 0 });
});

test('a pod that the copies do not show yet may write: nothing goes on beside it when its Job is deleted', async (t) => {
  const harness = await startHarness(t);
  harness.make('north', { approve: 'auto' });
  harness.deleteJob(await runTo(harness, 'apply'));
  await harness.reconcile(undefined, { ...harness.caches(), pods: { get: () => undefined, values: () => [] } });
  t.like(ready(harness), { reason: 'PodEnding' });
  t.is(harness.sync('north').status?.lastRun, undefined);
});

for (const copies of ['show', 'do not show yet'] as const)
  test(`an object that is deleted with its Jobs keeps the site until its pods are gone, which copies ${copies}`, async (t) => {
    const harness = await startHarness(t);
    harness.make('north', { approve: 'auto' });
    harness.deleteJob(await runTo(harness, 'apply'));
    harness.server.call('DELETE', '/apis/ranger-relay.dev/v1alpha1/namespaces/park/patrolsyncs/north');
    harness.make('south', { approve: 'auto' });
    for (let n = 0; n < 12; n += 1) {
      const caches = harness.caches();
      await harness.reconcile(
        undefined,
        copies === 'show' ? caches : { ...caches, pods: { get: () => undefined, values: () => [] } },
      );
      for (const job of harness.running()) harness.finish(job, 'ok');
    }
    t.deepEqual(jobsTo(harness, 'apply'), []);
    if (copies === 'show') t.like(ready(harness, 'south'), { reason: 'SiteBusy' });
    harness.sweep();
    await harness.settle();
    t.like(ready(harness, 'south'), { status: 'True', reason: 'Applied' });
  });

test('a namespace that is deleted meanwhile: what is refused is said, and nothing is left to do when all is gone', async (t) => {
  const harness = await startHarness(t);
  harness.make('north', { approve: 'auto' });
  const refusal = { kind: 'status', status: 403, reason: 'Forbidden' } as const;
  harness.server.onRequest(refusal, { method: 'POST', path: '/jobs' });
  await t.throwsAsync(harness.reconcile(), { message: /told to answer 403/ });
  t.like(ready(harness), { status: 'False', reason: 'Refused' });
  harness.server.call('DELETE', '/api/v1/namespaces/park/secrets/site');
  harness.server.call('DELETE', '/apis/ranger-relay.dev/v1alpha1/namespaces/park/patrolsyncs/north');
  await harness.settle();
  t.deepEqual(harness.objects('batch/v1/jobs'), []);
});

for (const hours of [-2, 2])
  test(`another process takes over whose clock is ${hours} hours off: one check, no waiting for the difference`, async (t) => {
    const harness = await startHarness(t);
    harness.make('north', { approve: 'auto' });
    harness.finish(await runTo(harness, 'apply'), 'broken');
    await harness.reconcile();
    harness.pass(hours * 3_600_000);
    harness.finish(await runTo(harness, 'resume'), 'ok');
    await harness.reconcile();
    harness.pass(-hours * 3_600_000);
    await harness.settle();
    t.like(ready(harness), { status: 'True', reason: 'Applied' });
    t.is(jobsTo(harness, 'verify').length, 1);
    t.is(applies(harness).length, 1);
  });

const holders = ({ objects }: Pick<Harness, 'objects'>): readonly (string | undefined)[] =>
  (objects('coordination.k8s.io/v1/leases') as readonly Lease[]).map(({ spec }) => spec?.holderIdentity);

test('two operators: one with an old copy of the object does not release the site that the other one has acquired', async (t) => {
  const harness = await startHarness(t);
  harness.make('north');
  await harness.settle();
  const old = harness.caches();
  harness.edit('north', { approve: harness.sync('north').status?.plan?.hash });
  harness.finish(await runTo(harness, 'plan'), 'ok');
  for (let n = 0; n < 10 && !holders(harness)[0]; n += 1) await harness.reconcile();
  t.regex(holders(harness)[0] ?? '', /^PatrolSync\/park\/north\//);
  await harness.reconcile(undefined, { ...harness.caches(), syncs: old.syncs });
  t.regex(holders(harness)[0] ?? '', /^PatrolSync\/park\/north\//);
});

test('two operators: a release of the site that is under way fails once a writing Job is released', async (t) => {
  const harness = await startHarness(t);
  harness.make('north', { approve: 'auto' });
  let seen: Lease | undefined;
  for (let n = 0; harness.running().every((job) => commandOf(job) !== 'apply'); n += 1) {
    for (const job of harness.running()) harness.finish(job, 'ok');
    seen = harness.caches().siteLocks.values()[0];
    await harness.reconcile();
    harness.pass(1_000);
    t.true(n < 30);
  }
  const { client, now } = harness;
  const release = releaseSiteLock({ client, namespace: 'operators', now: now() }, seen as Lease);
  t.like(await t.throwsAsync(release), { code: 'kube_conflict' });
  t.regex(holders(harness)[0] ?? '', /^PatrolSync\/park\/north\//);
});
