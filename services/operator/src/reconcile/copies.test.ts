import test from 'ava';
import { applies, commandOf, jobsTo, ready, runTo } from '../test/look.ts';
import { startWorld } from '../test/world.ts';

test('a copy that lags behind does not make a Job look deleted', async (t) => {
  const world = await startWorld(t);
  world.make('north', { approve: 'auto' });
  const apply = await runTo(world, 'apply');
  const none = { get: () => undefined, values: () => [] };
  await world.reconcile(undefined, { ...world.caches(), jobs: none, pods: none });
  t.like(ready(world), { reason: 'JobRunning' });
  t.is(world.sync('north').status?.job?.uid, apply.metadata.uid);
  t.is(world.sync('north').status?.lastRun, undefined);
});

test('a Job that has begun to write is not deleted by who has seen it before it began', async (t) => {
  const world = await startWorld(t);
  world.make('north', { approve: 'auto' });
  let before = world.caches();
  for (; world.running().every((job) => commandOf(job) !== 'apply'); await world.reconcile()) {
    for (const job of world.running()) world.finish(job, 'ok');
    before = world.caches();
  }
  world.startPods();
  world.edit('north', { retries: 1 });
  await world.reconcile(undefined, { ...world.caches(), jobs: before.jobs });
  t.is(world.running().length, 1);
  await world.settle();
  t.is(applies(world).length, 1);
  t.like(ready(world), { status: 'True', reason: 'Applied' });
});

test('a pod that the copies do not show yet is asked for before its Job counts as ended without a word', async (t) => {
  const world = await startWorld(t);
  world.make('north', { approve: 'auto' });
  const apply = await runTo(world, 'apply');
  world.finish(apply, 'ok');
  await world.reconcile(undefined, { ...world.caches(), pods: { values: () => [] } });
  t.like(world.sync('north').status?.lastRun, { outcome: 'done', attempt: 0 });
});

test('a pod that the copies do not show yet may write: nothing goes on beside it when its Job is deleted', async (t) => {
  const world = await startWorld(t);
  world.make('north', { approve: 'auto' });
  world.deleteJob(await runTo(world, 'apply'));
  await world.reconcile(undefined, { ...world.caches(), pods: { values: () => [] } });
  t.like(ready(world), { reason: 'PodEnding' });
  t.is(world.sync('north').status?.lastRun, undefined);
});

for (const copies of ['show', 'do not show yet'] as const)
  test(`an object that is deleted with its Jobs keeps the site until its pods are gone, which copies ${copies}`, async (t) => {
    const world = await startWorld(t);
    world.make('north', { approve: 'auto' });
    world.deleteJob(await runTo(world, 'apply'));
    world.server.call('DELETE', '/apis/ranger-relay.dev/v1alpha1/namespaces/park/patrolsyncs/north');
    world.make('south', { approve: 'auto' });
    for (let n = 0; n < 12; n += 1) {
      const caches = world.caches();
      await world.reconcile(undefined, copies === 'show' ? caches : { ...caches, pods: { values: () => [] } });
      for (const job of world.running()) world.finish(job, 'ok');
    }
    t.deepEqual(jobsTo(world, 'apply'), []);
    if (copies === 'show') t.like(ready(world, 'south'), { reason: 'SiteBusy' });
    world.sweep();
    await world.settle();
    t.like(ready(world, 'south'), { status: 'True', reason: 'Applied' });
  });

test('a namespace that is deleted meanwhile: what is refused is said, and nothing is left to do when all is gone', async (t) => {
  const world = await startWorld(t);
  world.make('north', { approve: 'auto' });
  const refusal = { kind: 'status', status: 403, reason: 'Forbidden' } as const;
  world.server.faults.onRequest(refusal, { method: 'POST', path: '/jobs' });
  await t.throwsAsync(world.reconcile(), { message: /told to answer 403/ });
  t.like(ready(world), { status: 'False', reason: 'Refused' });
  world.server.call('DELETE', '/api/v1/namespaces/park/secrets/site');
  world.server.call('DELETE', '/apis/ranger-relay.dev/v1alpha1/namespaces/park/patrolsyncs/north');
  await world.settle();
  t.deepEqual(world.objects('batch/v1/jobs'), []);
});

for (const hours of [-2, 2])
  test(`a replica takes over whose clock is ${hours} hours off: one check, no waiting for the difference`, async (t) => {
    const world = await startWorld(t);
    world.make('north', { approve: 'auto' });
    world.finish(await runTo(world, 'apply'), 'broken');
    await world.reconcile();
    world.pass(hours * 3_600_000);
    world.finish(await runTo(world, 'resume'), 'ok');
    await world.reconcile();
    world.pass(-hours * 3_600_000);
    await world.settle();
    t.like(ready(world), { status: 'True', reason: 'Applied' });
    t.is(jobsTo(world, 'verify').length, 1);
    t.is(applies(world).length, 1);
  });
