import test from 'ava';
import { syncsOf } from '../test/cluster.ts';
import { applies, ready, runTo } from '../test/look.ts';
import { startWorld } from '../test/world.ts';

test('a plan waits for a yes, is applied once, and the site is compared with the bundle', async (t) => {
  const world = await startWorld(t);
  world.make('north');
  await world.settle();
  t.like(ready(world), { status: 'False', reason: 'ApprovalRequired' });
  t.deepEqual(world.site.writes, []);
  const hash = world.sync('north').status?.plan?.hash;
  t.regex(ready(world)?.message ?? '', new RegExp(`kubectl patch patrolsync north .*"approve":"${hash}"`));
  world.edit('north', { approve: hash });
  await world.settle();
  t.like(ready(world), { status: 'True', reason: 'Applied' });
  t.deepEqual(world.site.writes, [`apply ${hash}`]);
});

test('drift is reported, and nothing is written by itself', async (t) => {
  const world = await startWorld(t);
  world.make('north', { approve: 'auto' });
  await world.settle();
  t.like(ready(world), { status: 'True' });
  world.site.has = 0;
  world.pass(25 * 3_600_000);
  await world.settle();
  t.like(ready(world), { status: 'False', reason: 'DriftFound' });
  t.is(applies(world).length, 1);
  world.annotate('north', '2');
  await world.settle();
  t.like(ready(world), { status: 'True', reason: 'Applied' });
  t.is(applies(world).length, 2);
});

test('a bundle that is replaced behind its run is found with the next check, said as such, and not applied by itself', async (t) => {
  const world = await startWorld(t);
  world.make('north', { approve: 'auto' });
  await world.settle();
  world.site.bundle = 2;
  world.pass(25 * 3_600_000);
  await world.settle();
  t.like(ready(world), { status: 'False', reason: 'BundleChanged' });
  t.is(applies(world).length, 1);
  world.annotate('north', '2');
  await world.settle();
  t.like(ready(world), { status: 'True', reason: 'Applied' });
  t.is(world.sync('north').status?.plan?.bundle, world.sync('north').status?.drift?.bundle);
});

test('the bundle changed between plan and yes: the yes was for another plan', async (t) => {
  const world = await startWorld(t);
  world.make('north');
  await world.settle();
  const old = world.sync('north').status?.plan?.hash;
  world.site.bundle = 2;
  world.edit('north', { approve: old });
  await world.settle();
  t.like(ready(world), { status: 'False', reason: 'OtherPlanApproved' });
  t.deepEqual(world.site.writes, []);
});

test('a yes is used once: the same plan is not applied again until it is given anew', async (t) => {
  const world = await startWorld(t);
  world.make('north');
  await world.settle();
  const approve = world.sync('north').status?.plan?.hash;
  world.edit('north', { approve });
  await world.settle();
  world.site.has = 0;
  world.annotate('north', 'again');
  await world.settle();
  t.like(ready(world), { status: 'False', reason: 'ApprovalUsed' });
  t.is(applies(world).length, 1);
  world.edit('north', { approve: null });
  await world.settle();
  world.edit('north', { approve });
  await world.settle();
  t.is(applies(world).length, 2);
});

for (const fate of ['fails', 'broken', 'evicted midway', 'evicted late'] as const)
  test(`a run that ${fate} is resumed in its record, never applied again`, async (t) => {
    const world = await startWorld(t);
    world.make('north', { approve: 'auto' });
    world.finish(await runTo(world, 'apply'), fate);
    world.finish(await runTo(world, 'resume'), 'ok');
    await world.settle();
    t.is(applies(world).length, 1);
    t.like(ready(world), { status: 'True', reason: 'Applied' });
  });

test('a Job that is deleted by hand is waited for until its pod is gone, then resumed', async (t) => {
  const world = await startWorld(t);
  world.make('north', { approve: 'auto' });
  world.deleteJob(await runTo(world, 'apply'));
  for (let n = 0; n < 5; n += 1) await world.reconcile();
  t.like(ready(world), { reason: 'PodEnding' });
  t.deepEqual(world.running(), []);
  world.sweep();
  await world.settle();
  t.like(ready(world), { status: 'False', reason: 'NothingWritten' });
  t.deepEqual(applies(world), []);
});

test('a run that cannot be finished says so, and what to do', async (t) => {
  const world = await startWorld(t);
  world.make('north', { approve: 'auto', retries: 1 });
  world.finish(await runTo(world, 'apply'), 'fails');
  world.finish(await runTo(world, 'resume'), 'fails');
  await world.settle();
  t.like(ready(world), { status: 'False', reason: 'RunFailed' });
  t.regex(ready(world)?.message ?? '', /patrol-datamodel-run-.*kubectl annotate patrolsync north/);
});

test('two objects never write to one site at once', async (t) => {
  const world = await startWorld(t);
  world.make('north', { approve: 'auto' });
  world.make('south', {
    approve: 'auto',
    site: { endpoint: 'https://SITE.example/', token: { name: 'site', key: 'token' } },
  });
  const first = await runTo(world, 'apply');
  for (let n = 0; n < 10; n += 1) {
    await world.reconcile();
    const writing = world.running().filter(({ metadata }) => metadata.labels?.['ranger-relay.dev/command'] === 'apply');
    t.is(writing.length, 1);
    for (const job of world.running()) if (job !== first && !writing.includes(job)) world.finish(job, 'ok');
  }
  world.finish(first, 'ok');
  await world.settle();
  t.like(ready(world, 'north'), { status: 'True' });
  t.like(ready(world, 'south'), { status: 'True' });
});

test('a missing Secret is named, and the Job is made once it is there', async (t) => {
  const world = await startWorld(t);
  const path = '/api/v1/namespaces/park/secrets/site';
  world.server.call('DELETE', path);
  world.make('north', { approve: 'auto' });
  for (let n = 0; n < 3; n += 1) await world.reconcile();
  t.like(ready(world), { reason: 'SecretMissing' });
  t.regex(ready(world)?.message ?? '', /no Secret site/);
  t.deepEqual(world.objects('batch/v1/jobs'), []);
});

test('a Secret goes to no other endpoint than whoever may write it has allowed', async (t) => {
  const world = await startWorld(t);
  const site = { endpoint: 'elsewhere.example', token: { name: 'site', key: 'token' } };
  world.make('north', { approve: 'auto', site });
  for (let n = 0; n < 3; n += 1) await world.reconcile();
  t.deepEqual(world.objects('batch/v1/jobs'), []);
  t.like(ready(world), { status: 'False', reason: 'SecretNotAllowed' });
  const command = 'kubectl annotate secret site -n park ranger-relay.dev/site-endpoint=elsewhere.example --overwrite';
  t.true(ready(world)?.message.includes(command), ready(world)?.message);
  const annotations = { 'ranger-relay.dev/site-endpoint': 'elsewhere.example' };
  world.server.call('PATCH', '/api/v1/namespaces/park/secrets/site', { metadata: { annotations } });
  await world.settle();
  t.like(ready(world), { status: 'True', reason: 'Applied' });
});

test('a yes stands while work is suspended, and what it approved is applied afterwards', async (t) => {
  const world = await startWorld(t);
  world.make('north');
  await world.settle();
  const approve = world.sync('north').status?.plan?.hash;
  world.edit('north', { approve });
  world.finish(await runTo(world, 'plan'), 'ok');
  world.edit('north', { suspend: true });
  await world.settle();
  t.deepEqual(world.site.writes, []);
  const plans = world.sync('north').status?.plans;
  world.edit('north', { suspend: false, retries: 5 });
  await world.settle();
  t.like(ready(world), { status: 'True', reason: 'Applied' });
  t.is(world.sync('north').status?.plans, plans);
});

test('deleting an object waits for nobody: it has no finalizer, and its Jobs belong to it', async (t) => {
  const world = await startWorld(t);
  world.make('north', { approve: 'auto' });
  await world.settle();
  const { metadata } = world.sync('north');
  for (const each of [...world.objects(syncsOf), ...world.objects('batch/v1/jobs')])
    t.false('finalizers' in each.metadata);
  for (const job of world.objects('batch/v1/jobs'))
    t.like(job.metadata.ownerReferences?.[0], { kind: 'PatrolSync', uid: metadata.uid, controller: true });
});
