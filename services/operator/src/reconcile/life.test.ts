import test from 'ava';
import { syncsOf } from '../test/cluster.ts';
import { applies, ready, runTo } from '../test/look.ts';
import { startHarness } from '../test/harness.ts';

test('a plan waits for a yes, is applied once, and the site is compared with the bundle', async (t) => {
  const harness = await startHarness(t);
  harness.make('north');
  await harness.settle();
  t.like(ready(harness), { status: 'False', reason: 'ApprovalRequired' });
  t.deepEqual(harness.site.writes, []);
  const hash = harness.sync('north').status?.plan?.hash;
  t.regex(ready(harness)?.message ?? '', new RegExp(`kubectl patch patrolsync north .*"approve":"${hash}"`));
  harness.edit('north', { approve: hash });
  await harness.settle();
  t.like(ready(harness), { status: 'True', reason: 'Applied' });
  t.deepEqual(harness.site.writes, [`apply ${hash}`]);
});

test('drift is reported, and nothing is written by itself', async (t) => {
  const harness = await startHarness(t);
  harness.make('north', { approve: 'auto' });
  await harness.settle();
  t.like(ready(harness), { status: 'True' });
  harness.site.has = 0;
  harness.pass(25 * 3_600_000);
  await harness.settle();
  t.like(ready(harness), { status: 'False', reason: 'DriftFound' });
  t.is(applies(harness).length, 1);
  harness.annotate('north', '2');
  await harness.settle();
  t.like(ready(harness), { status: 'True', reason: 'Applied' });
  t.is(applies(harness).length, 2);
});

test('a bundle that is replaced behind its run is found with the next check, said as such, and not applied by itself', async (t) => {
  const harness = await startHarness(t);
  harness.make('north', { approve: 'auto' });
  await harness.settle();
  harness.site.bundle = 2;
  harness.pass(25 * 3_600_000);
  await harness.settle();
  t.like(ready(harness), { status: 'False', reason: 'BundleChanged' });
  t.is(applies(harness).length, 1);
  harness.annotate('north', '2');
  await harness.settle();
  t.like(ready(harness), { status: 'True', reason: 'Applied' });
  t.is(harness.sync('north').status?.plan?.bundle, harness.sync('north').status?.drift?.bundle);
});

test('the bundle changed between plan and yes: the yes was for another plan', async (t) => {
  const harness = await startHarness(t);
  harness.make('north');
  await harness.settle();
  const old = harness.sync('north').status?.plan?.hash;
  harness.site.bundle = 2;
  harness.edit('north', { approve: old });
  await harness.settle();
  t.like(ready(harness), { status: 'False', reason: 'OtherPlanApproved' });
  t.deepEqual(harness.site.writes, []);
});

test('a yes is used once: the same plan is not applied again until it is given anew', async (t) => {
  const harness = await startHarness(t);
  harness.make('north');
  await harness.settle();
  const approve = harness.sync('north').status?.plan?.hash;
  harness.edit('north', { approve });
  await harness.settle();
  harness.site.has = 0;
  harness.annotate('north', 'again');
  await harness.settle();
  t.like(ready(harness), { status: 'False', reason: 'ApprovalUsed' });
  t.is(applies(harness).length, 1);
  harness.edit('north', { approve: null });
  await harness.settle();
  harness.edit('north', { approve });
  await harness.settle();
  t.is(applies(harness).length, 2);
});

for (const fate of ['fails', 'broken', 'evicted midway', 'evicted late'] as const)
  test(`a run that ${fate} is resumed in its record, never applied again`, async (t) => {
    const harness = await startHarness(t);
    harness.make('north', { approve: 'auto' });
    harness.finish(await runTo(harness, 'apply'), fate);
    harness.finish(await runTo(harness, 'resume'), 'ok');
    await harness.settle();
    t.is(applies(harness).length, 1);
    t.like(ready(harness), { status: 'True', reason: 'Applied' });
  });

test('a Job that is deleted by hand is waited for until its pod is gone, then resumed', async (t) => {
  const harness = await startHarness(t);
  harness.make('north', { approve: 'auto' });
  harness.deleteJob(await runTo(harness, 'apply'));
  for (let n = 0; n < 5; n += 1) await harness.reconcile();
  t.like(ready(harness), { reason: 'PodEnding' });
  t.deepEqual(harness.running(), []);
  harness.sweep();
  await harness.settle();
  t.like(ready(harness), { status: 'False', reason: 'NothingWritten' });
  t.deepEqual(applies(harness), []);
});

test('a run that cannot be finished says so, and what to do', async (t) => {
  const harness = await startHarness(t);
  harness.make('north', { approve: 'auto', retries: 1 });
  harness.finish(await runTo(harness, 'apply'), 'fails');
  harness.finish(await runTo(harness, 'resume'), 'fails');
  await harness.settle();
  t.like(ready(harness), { status: 'False', reason: 'RunFailed' });
  t.regex(ready(harness)?.message ?? '', /patrol-datamodel-run-.*kubectl annotate patrolsync north/);
});

test('two objects never write to one site at once', async (t) => {
  const harness = await startHarness(t);
  harness.make('north', { approve: 'auto' });
  harness.make('south', {
    approve: 'auto',
    site: { endpoint: 'https://SITE.example/', token: { name: 'site', key: 'token' } },
  });
  const first = await runTo(harness, 'apply');
  for (let n = 0; n < 10; n += 1) {
    await harness.reconcile();
    const writing = harness
      .running()
      .filter(({ metadata }) => metadata.labels?.['ranger-relay.dev/command'] === 'apply');
    t.is(writing.length, 1);
    for (const job of harness.running()) if (job !== first && !writing.includes(job)) harness.finish(job, 'ok');
  }
  harness.finish(first, 'ok');
  await harness.settle();
  t.like(ready(harness, 'north'), { status: 'True' });
  t.like(ready(harness, 'south'), { status: 'True' });
});

test('a missing Secret is named, and the Job is made once it is there', async (t) => {
  const harness = await startHarness(t);
  const path = '/api/v1/namespaces/park/secrets/site';
  harness.server.call('DELETE', path);
  harness.make('north', { approve: 'auto' });
  for (let n = 0; n < 3; n += 1) await harness.reconcile();
  t.like(ready(harness), { reason: 'SecretMissing' });
  t.regex(ready(harness)?.message ?? '', /no Secret site/);
  t.deepEqual(harness.objects('batch/v1/jobs'), []);
});

test('a Secret goes to no other endpoint than whoever may write it has allowed', async (t) => {
  const harness = await startHarness(t);
  const site = { endpoint: 'elsewhere.example', token: { name: 'site', key: 'token' } };
  harness.make('north', { approve: 'auto', site });
  for (let n = 0; n < 3; n += 1) await harness.reconcile();
  t.deepEqual(harness.objects('batch/v1/jobs'), []);
  t.like(ready(harness), { status: 'False', reason: 'SecretNotAllowed' });
  const command = 'kubectl annotate secret site -n park ranger-relay.dev/site-endpoint=elsewhere.example --overwrite';
  t.true(ready(harness)?.message.includes(command), ready(harness)?.message);
  const annotations = { 'ranger-relay.dev/site-endpoint': 'elsewhere.example' };
  harness.server.call('PATCH', '/api/v1/namespaces/park/secrets/site', { metadata: { annotations } });
  await harness.settle();
  t.like(ready(harness), { status: 'True', reason: 'Applied' });
});

test('a yes stands while work is suspended, and what it approved is applied afterwards', async (t) => {
  const harness = await startHarness(t);
  harness.make('north');
  await harness.settle();
  const approve = harness.sync('north').status?.plan?.hash;
  harness.edit('north', { approve });
  harness.finish(await runTo(harness, 'plan'), 'ok');
  harness.edit('north', { suspend: true });
  await harness.settle();
  t.deepEqual(harness.site.writes, []);
  const plans = harness.sync('north').status?.plans;
  harness.edit('north', { suspend: false, retries: 5 });
  await harness.settle();
  t.like(ready(harness), { status: 'True', reason: 'Applied' });
  t.is(harness.sync('north').status?.plans, plans);
});

test('deleting an object waits for nobody: it has no finalizer, and its Jobs belong to it', async (t) => {
  const harness = await startHarness(t);
  harness.make('north', { approve: 'auto' });
  await harness.settle();
  const { metadata } = harness.sync('north');
  for (const each of [...harness.objects(syncsOf), ...harness.objects('batch/v1/jobs')])
    t.false('finalizers' in each.metadata);
  for (const job of harness.objects('batch/v1/jobs'))
    t.like(job.metadata.ownerReferences?.[0], { kind: 'PatrolSync', uid: metadata.uid, controller: true });
});
