import test, { type ExecutionContext } from 'ava';
import { steps } from '../decide/steps.ts';
import { checkSettled, watchInvariants } from '../test/invariants.ts';
import { startWorld, type Kill, type World } from '../test/world.ts';

/** What a call of the operator is, as the table of steps has it. */
const callOf = ({ method, path }: { readonly method: string; readonly path: string }): string | undefined => {
  if (path.endsWith('/status')) return 'nothing';
  if (path.includes('/leases')) return 'lease';
  if (!path.includes('/jobs') || method === 'GET') return undefined;
  return { POST: 'create job', PATCH: 'change job', DELETE: 'delete job' }[method];
};

const rounds = 45;

/** From the first plan over a spec that changes under it, an apply that is broken off, a resume and a check to a rollback. */
const live = async (t: ExecutionContext, kill?: Kill) => {
  const ends: (() => unknown)[] = [];
  const world: World = await startWorld({ teardown: (end) => void ends.push(end) });
  watchInvariants(t, world);
  world.make('north', { approve: 'auto', keepRuns: 1 });
  let broken = false;
  for (let round = 0; round < rounds; round += 1) {
    const left = kill === undefined ? 0 : kill.call - world.calls();
    await world.reconcile(kill && left > 0 ? { ...kill, call: left } : undefined);
    if (round === 3) world.edit('north', { subjectNameSuffix: true });
    if (round > 8)
      for (const job of world.running()) {
        const isApply = job.metadata.labels?.['ranger-relay.dev/command'] === 'apply';
        world.finish(job, isApply && !broken ? 'broken' : 'ok');
        broken ||= isApply;
      }
    world.pass(60_000);
  }
  await world.settle();
  const record = world.sync('north').status?.lastRun?.record ?? '';
  const applied = world.site.has;
  world.rollBack('back', 'north', [record]);
  for (let round = 0; round < rounds; round += 1) {
    const left = kill === undefined ? 0 : kill.call - world.calls();
    await world.reconcile(kill && left > 0 ? { ...kill, call: left } : undefined);
    world.running().forEach((job) => world.finish(job, 'ok'));
    world.pass(60_000);
  }
  await world.settle();
  checkSettled(t, world, 'north');
  const { status } = world.sync('north');
  const end = {
    applied,
    has: world.site.has,
    writes: world.site.writes,
    ready: status?.conditions?.find(({ type }) => type === 'Ready')?.reason,
    run: [status?.lastRun?.command, status?.lastRun?.outcome, status?.lastRun?.attempt],
    holds: world
      .objects('coordination.k8s.io/v1/leases')
      .map(({ spec }) => (spec as { holderIdentity?: string }).holderIdentity),
  };
  const made = new Set(world.server.requests.flatMap((request) => callOf(request) ?? []));
  const { prunes } = world.site;
  t.true(prunes.length <= (status?.plans ?? 0), 'older runs are deleted more than once behind a plan');
  for (const each of ends) await each();
  return { end, made, prunes: prunes.length, calls: world.calls() };
};

test('whichever call the operator dies before or after, whoever goes on comes to the same end', async (t) => {
  const whole = await live(t);
  t.deepEqual(whole.end, {
    applied: 1,
    has: 0,
    writes: [whole.end.writes[0] ?? '', 'undo'],
    ready: 'RolledBack',
    run: ['resume', 'done', 1],
    holds: [undefined],
  });
  t.deepEqual([...whole.made].toSorted(), [...new Set(Object.values(steps).map(({ call }) => call))].toSorted());
  t.is(whole.prunes, 1);
  t.true(whole.calls > 20);
  for (let call = 1; call <= whole.calls; call += 1)
    for (const when of ['before', 'after'] as const)
      t.deepEqual((await live(t, { call, when })).end, whole.end, `${when} call ${call}`);
});
