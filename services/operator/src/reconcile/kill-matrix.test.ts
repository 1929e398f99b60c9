import test, { type ExecutionContext } from 'ava';
import { steps } from '../decide/steps.ts';
import { checkSettled, watchInvariants } from '../test/invariants.ts';
import { startHarness, type Kill, type Harness } from '../test/harness.ts';

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
  const harness: Harness = await startHarness({ teardown: (end) => void ends.push(end) });
  watchInvariants(t, harness);
  harness.make('north', { approve: 'auto', keepRuns: 1 });
  let broken = false;
  for (let round = 0; round < rounds; round += 1) {
    const left = kill === undefined ? 0 : kill.call - harness.calls();
    await harness.reconcile(kill && left > 0 ? { ...kill, call: left } : undefined);
    if (round === 3) harness.edit('north', { subjectNameSuffix: true });
    if (round > 8)
      for (const job of harness.running()) {
        const isApply = job.metadata.labels?.['ranger-relay.dev/command'] === 'apply';
        harness.finish(job, isApply && !broken ? 'broken' : 'ok');
        broken ||= isApply;
      }
    harness.pass(60_000);
  }
  await harness.settle();
  const record = harness.sync('north').status?.lastRun?.record ?? '';
  const applied = harness.site.has;
  harness.rollBack('back', 'north', [record]);
  for (let round = 0; round < rounds; round += 1) {
    const left = kill === undefined ? 0 : kill.call - harness.calls();
    await harness.reconcile(kill && left > 0 ? { ...kill, call: left } : undefined);
    harness.running().forEach((job) => harness.finish(job, 'ok'));
    harness.pass(60_000);
  }
  await harness.settle();
  checkSettled(t, harness, 'north');
  const { status } = harness.sync('north');
  const end = {
    applied,
    has: harness.site.has,
    writes: harness.site.writes,
    ready: status?.conditions?.find(({ type }) => type === 'Ready')?.reason,
    run: [status?.lastRun?.command, status?.lastRun?.outcome, status?.lastRun?.attempt],
    holds: harness
      .objects('coordination.k8s.io/v1/leases')
      .map(({ spec }) => (spec as { holderIdentity?: string }).holderIdentity),
  };
  const made = new Set(harness.server.requests.flatMap((request) => callOf(request) ?? []));
  const { prunes } = harness.site;
  t.true(prunes.length <= (status?.plans ?? 0), 'older runs are deleted more than once behind a plan');
  for (const each of ends) await each();
  return { end, made, prunes: prunes.length, calls: harness.calls() };
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
