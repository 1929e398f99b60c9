import test from 'ava';
import { conditionNamed } from '../kube/conditions.ts';
import { applies, commandOf, ready, runTo } from '../test/look.ts';
import { startHarness, type Harness } from '../test/harness.ts';

const recordOf = (harness: Harness): string => harness.sync('north').status?.lastRun?.record ?? '';
const backs = (harness: Harness): readonly (string | undefined)[] =>
  harness
    .objects('ranger-relay.dev/v1alpha1/patrolsyncrollbacks')
    .map(({ status }) => conditionNamed((status as { conditions?: never } | undefined)?.conditions, 'Ready')?.reason);

test('a rollback whose PatrolSync is deleted under it gives the site back', async (t) => {
  const harness = await startHarness(t);
  harness.make('north', { approve: 'auto' });
  harness.make('south', { approve: 'auto' });
  await harness.settle();
  harness.rollBack('back', 'north', [harness.sync('north').status?.lastRun?.record ?? '']);
  const undo = await runTo(harness, 'undo');
  harness.server.call('DELETE', '/apis/ranger-relay.dev/v1alpha1/namespaces/park/patrolsyncs/north');
  for (let n = 0; n < 3; n += 1) await harness.reconcile();
  const holders = () =>
    harness
      .objects('coordination.k8s.io/v1/leases')
      .map(({ spec }) => (spec as { holderIdentity?: string }).holderIdentity);
  t.regex(holders()[0] ?? '', /^PatrolSyncRollback\/park\/back\//);
  harness.finish(undo, 'ok');
  for (let n = 0; n < 3; n += 1) await harness.reconcile();
  t.deepEqual(holders(), [undefined]);
});

test('a rollback whose PatrolSync is deleted before its recorded Job is released goes on', async (t) => {
  const harness = await startHarness(t);
  harness.make('north', { approve: 'auto' });
  await harness.settle();
  harness.rollBack('back', 'north', [recordOf(harness)]);
  const isRecorded = (): boolean =>
    harness
      .objects('ranger-relay.dev/v1alpha1/patrolsyncrollbacks')
      .some(({ status }) => (status as { job?: { command?: string } } | undefined)?.job?.command === 'undo');
  for (let n = 0; n < 100 && !isRecorded(); n += 1) {
    await harness.reconcile();
    if (!isRecorded()) for (const job of harness.running()) harness.finish(job, 'ok');
    harness.pass(60_000);
  }
  harness.server.call('DELETE', '/apis/ranger-relay.dev/v1alpha1/namespaces/park/patrolsyncs/north');
  await harness.reconcile();
  t.deepEqual(harness.running().map(commandOf), ['undo']);
});

test('a rollback takes the run back; nothing is applied until the run annotation changes', async (t) => {
  const harness = await startHarness(t);
  harness.make('north', { approve: 'auto' });
  await harness.settle();
  t.is(harness.site.has, 1);
  harness.rollBack('back', 'north', [harness.sync('north').status?.lastRun?.record ?? '']);
  await harness.settle();
  t.is(harness.site.has, 0);
  t.like(ready(harness), { status: 'False', reason: 'RolledBack' });
  const back = harness.objects('ranger-relay.dev/v1alpha1/patrolsyncrollbacks')[0] as {
    status?: { conditions?: never };
  };
  t.like(conditionNamed(back.status?.conditions, 'Ready'), { status: 'True', reason: 'Undone' });
  harness.annotate('north', 'again');
  await harness.settle();
  t.is(harness.site.has, 1);
});

test('a rollback waits for the approval of its plan, and asks again when somebody has changed the site since', async (t) => {
  const harness = await startHarness(t);
  harness.make('north', { approve: 'auto' });
  await harness.settle();
  harness.rollBack('back', 'north', [recordOf(harness)], 'f'.repeat(64));
  await harness.settle();
  t.deepEqual(backs(harness), ['OtherPlanApproved']);
  t.like(ready(harness), { reason: 'Applied' });
  const approve = (): void => {
    const [back] = harness.objects('ranger-relay.dev/v1alpha1/patrolsyncrollbacks');
    const { plan } = (back as unknown as { status: { plan: { hash: string } } }).status;
    harness.server.call('PATCH', '/apis/ranger-relay.dev/v1alpha1/namespaces/park/patrolsyncrollbacks/back', {
      spec: { approve: plan.hash },
    });
  };
  approve();
  const undo = await runTo(harness, 'undo');
  harness.site.others += 1;
  harness.finish(undo, 'ok');
  await harness.settle();
  t.deepEqual(backs(harness), ['OtherPlanApproved']);
  t.is(harness.site.has, 1);
  approve();
  await harness.settle();
  t.deepEqual(backs(harness), ['Undone']);
  t.is(harness.site.has, 0);
});

test('older runs are deleted behind the runs that are kept, but not those that a rollback names', async (t) => {
  const harness = await startHarness(t);
  harness.make('north', { approve: 'auto', keepRuns: 2 });
  await harness.settle();
  const first = harness.sync('north').status?.lastRun?.record ?? '';
  for (const bundle of [2, 3]) {
    harness.site.bundle = bundle;
    harness.annotate('north', String(bundle));
    await harness.settle();
  }
  const [folder = '', number] = first.split('/');
  t.deepEqual(harness.site.prunes, [`--keep=2 /output/${folder}`]);
  harness.rollBack('back', 'north', [first]);
  await harness.settle();
  harness.site.bundle = 4;
  harness.annotate('north', '4');
  await harness.settle();
  t.is(harness.site.prunes.at(-1), `--keep=2 --spare=${number} /output/${folder}`);
  t.like(ready(harness), { status: 'True', reason: 'Applied' });
});

test('two rollbacks at once are let through one after the other', async (t) => {
  const harness = await startHarness(t);
  harness.make('north', { approve: 'auto' });
  await harness.settle();
  for (const name of ['back', 'back-2']) harness.rollBack(name, 'north', [recordOf(harness)]);
  await harness.settle();
  t.deepEqual(backs(harness), ['Undone', 'Undone']);
  t.like(ready(harness), { status: 'False', reason: 'RolledBack' });
});

test('a rollback that has given up does not keep another run from being applied', async (t) => {
  const harness = await startHarness(t);
  harness.make('north', { approve: 'auto' });
  await harness.settle();
  harness.rollBack('back', 'north', [recordOf(harness)]);
  for (let n = 0; n < 3; n += 1) harness.finish(await runTo(harness, 'undo'), 'fails');
  await harness.settle();
  t.deepEqual(backs(harness), ['UndoFailed']);
  t.like(ready(harness), { status: 'False', reason: 'RolledBack' });
  harness.site.bundle = 2;
  harness.annotate('north', 'again');
  await harness.settle();
  t.like(ready(harness), { status: 'True', reason: 'Applied' });
  t.is(applies(harness).length, 2);
});

test('another run that is asked for while a rollback is under way is applied behind it', async (t) => {
  const harness = await startHarness(t);
  harness.make('north', { approve: 'auto' });
  await harness.settle();
  harness.rollBack('back', 'north', [recordOf(harness)]);
  harness.finish(await runTo(harness, 'undo'), 'fails');
  harness.annotate('north', 'again');
  for (let n = 0; n < 3; n += 1) await harness.reconcile();
  t.like(ready(harness), { status: 'False', reason: 'RolledBack' });
  await harness.settle();
  t.deepEqual(
    harness.site.writes.map((each) => each.split(' ')[0]),
    ['apply', 'undo', 'apply'],
  );
  t.like(ready(harness), { status: 'True', reason: 'Applied' });
});
