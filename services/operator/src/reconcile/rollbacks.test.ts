import { conditionNamed } from '@ranger-relay/operator-kit';
import test from 'ava';
import { applies, ready, runTo } from '../test/look.ts';
import { startWorld, type World } from '../test/world.ts';

const recordOf = (world: World): string => world.sync('north').status?.lastRun?.record ?? '';
const backs = (world: World): readonly (string | undefined)[] =>
  world
    .objects('ranger-relay.dev/v1alpha1/patrolsyncrollbacks')
    .map(({ status }) => conditionNamed((status as { conditions?: never } | undefined)?.conditions, 'Ready')?.reason);

test('a rollback whose PatrolSync is deleted under it gives the site back', async (t) => {
  const world = await startWorld(t);
  world.make('north', { approve: 'auto' });
  world.make('south', { approve: 'auto' });
  await world.settle();
  world.rollBack('back', 'north', [world.sync('north').status?.lastRun?.record ?? '']);
  const undo = await runTo(world, 'undo');
  world.server.call('DELETE', '/apis/ranger-relay.dev/v1alpha1/namespaces/park/patrolsyncs/north');
  for (let n = 0; n < 3; n += 1) await world.reconcile();
  const holders = () =>
    world
      .objects('coordination.k8s.io/v1/leases')
      .map(({ spec }) => (spec as { holderIdentity?: string }).holderIdentity);
  t.regex(holders()[0] ?? '', /^PatrolSyncRollback\/park\/back\//);
  world.finish(undo, 'ok');
  for (let n = 0; n < 3; n += 1) await world.reconcile();
  t.deepEqual(holders(), [undefined]);
});

test('a rollback takes the run back; nothing is applied until the run annotation changes', async (t) => {
  const world = await startWorld(t);
  world.make('north', { approve: 'auto' });
  await world.settle();
  t.is(world.site.has, 1);
  world.rollBack('back', 'north', [world.sync('north').status?.lastRun?.record ?? '']);
  await world.settle();
  t.is(world.site.has, 0);
  t.like(ready(world), { status: 'False', reason: 'RolledBack' });
  const back = world.objects('ranger-relay.dev/v1alpha1/patrolsyncrollbacks')[0] as { status?: { conditions?: never } };
  t.like(conditionNamed(back.status?.conditions, 'Ready'), { status: 'True', reason: 'Undone' });
  world.annotate('north', 'again');
  await world.settle();
  t.is(world.site.has, 1);
});

test('a rollback waits for the approval of its plan, and asks again when somebody has changed the site since', async (t) => {
  const world = await startWorld(t);
  world.make('north', { approve: 'auto' });
  await world.settle();
  world.rollBack('back', 'north', [recordOf(world)], 'f'.repeat(64));
  await world.settle();
  t.deepEqual(backs(world), ['OtherPlanApproved']);
  t.like(ready(world), { reason: 'Applied' });
  const approve = (): void => {
    const [back] = world.objects('ranger-relay.dev/v1alpha1/patrolsyncrollbacks');
    const { plan } = (back as unknown as { status: { plan: { hash: string } } }).status;
    world.server.call('PATCH', '/apis/ranger-relay.dev/v1alpha1/namespaces/park/patrolsyncrollbacks/back', {
      spec: { approve: plan.hash },
    });
  };
  approve();
  const undo = await runTo(world, 'undo');
  world.site.others += 1;
  world.finish(undo, 'ok');
  await world.settle();
  t.deepEqual(backs(world), ['OtherPlanApproved']);
  t.is(world.site.has, 1);
  approve();
  await world.settle();
  t.deepEqual(backs(world), ['Undone']);
  t.is(world.site.has, 0);
});

test('older runs are deleted behind the runs that are kept, but not those that a rollback names', async (t) => {
  const world = await startWorld(t);
  world.make('north', { approve: 'auto', keepRuns: 2 });
  await world.settle();
  const first = world.sync('north').status?.lastRun?.record ?? '';
  for (const bundle of [2, 3]) {
    world.site.bundle = bundle;
    world.annotate('north', String(bundle));
    await world.settle();
  }
  const [folder = '', number] = first.split('/');
  t.deepEqual(world.site.prunes, [`--keep=2 /output/${folder}`]);
  world.rollBack('back', 'north', [first]);
  await world.settle();
  world.site.bundle = 4;
  world.annotate('north', '4');
  await world.settle();
  t.is(world.site.prunes.at(-1), `--keep=2 --spare=${number} /output/${folder}`);
  t.like(ready(world), { status: 'True', reason: 'Applied' });
});

test('two rollbacks at once are let through one after the other', async (t) => {
  const world = await startWorld(t);
  world.make('north', { approve: 'auto' });
  await world.settle();
  for (const name of ['back', 'back-2']) world.rollBack(name, 'north', [recordOf(world)]);
  await world.settle();
  t.deepEqual(backs(world), ['Undone', 'Undone']);
  t.like(ready(world), { status: 'False', reason: 'RolledBack' });
});

test('a rollback that has given up does not keep another run from being applied', async (t) => {
  const world = await startWorld(t);
  world.make('north', { approve: 'auto' });
  await world.settle();
  world.rollBack('back', 'north', [recordOf(world)]);
  for (let n = 0; n < 3; n += 1) world.finish(await runTo(world, 'undo'), 'fails');
  await world.settle();
  t.deepEqual(backs(world), ['UndoFailed']);
  t.like(ready(world), { status: 'False', reason: 'RolledBack' });
  world.site.bundle = 2;
  world.annotate('north', 'again');
  await world.settle();
  t.like(ready(world), { status: 'True', reason: 'Applied' });
  t.is(applies(world).length, 2);
});

test('another run that is asked for while a rollback is under way is applied behind it', async (t) => {
  const world = await startWorld(t);
  world.make('north', { approve: 'auto' });
  await world.settle();
  world.rollBack('back', 'north', [recordOf(world)]);
  world.finish(await runTo(world, 'undo'), 'fails');
  world.annotate('north', 'again');
  for (let n = 0; n < 3; n += 1) await world.reconcile();
  t.like(ready(world), { status: 'False', reason: 'RolledBack' });
  await world.settle();
  t.deepEqual(
    world.site.writes.map((each) => each.split(' ')[0]),
    ['apply', 'undo', 'apply'],
  );
  t.like(ready(world), { status: 'True', reason: 'Applied' });
});
