import test from 'ava';
import { patrolSyncs } from '../api/group.ts';
import type { PlanStatus } from '../api/run-status.ts';
import { approval, type Decision, type StatusUpdate, settled, stalled, working } from '../decide/decision.ts';
import { plan } from '../test/observed.ts';
import { startHarness, type Harness } from '../test/harness.ts';
import type { ReconcileDependencies } from './dependencies.ts';
import type { KubeObject } from '../kube/object.ts';
import { conditionsOf, writeStatus } from './write.ts';

const said = (statusUpdate: StatusUpdate, present?: PlanStatus) =>
  Object.fromEntries(
    conditionsOf({ status: statusUpdate, ...(present ? { plan: present } : {}) }, undefined, {
      generation: 2,
      now: 0,
    }).map(({ type, status, reason }) => [type, `${status} ${reason}`]),
  );

test('each state has its conditions', (t) => {
  const none = {
    Reconciling: 'False None',
    ApprovalRequired: 'False None',
    Stalled: 'False None',
    Planned: 'False NoPlan',
  };
  t.deepEqual(said(settled(true, 'Applied', '')), { ...none, Ready: 'True Applied' });
  t.deepEqual(said(working('JobRunning', '')), { ...none, Ready: 'False JobRunning', Reconciling: 'True JobRunning' });
  t.deepEqual(said(stalled('RunFailed', '')), { ...none, Ready: 'False RunFailed', Stalled: 'True RunFailed' });
  t.deepEqual(said(approval('ApprovalRequired', '')), {
    ...none,
    Ready: 'False ApprovalRequired',
    ApprovalRequired: 'True ApprovalRequired',
  });
});

test('whatever is said, an object is never both under way and stalled', (t) => {
  for (const state of ['settled', 'working', 'approval', 'stalled'] as const)
    for (const ready of [true, false]) {
      const is = said({ ready, state, reason: 'Any', message: '' });
      const on = ['Reconciling', 'ApprovalRequired', 'Stalled'].filter((type) => is[type]?.startsWith('True'));
      t.true(on.length <= 1, `${state}: ${on.join(', ')}`);
    }
});

test('Planned speaks about the plan of the present spec', (t) => {
  const statusUpdate = settled(true, 'Applied', '');
  t.is(said(statusUpdate, plan())['Planned'], 'True Planned');
  t.is(said(statusUpdate)['Planned'], 'False NoPlan');
  t.is(said(statusUpdate, plan({ outcome: 'failed' }))['Planned'], 'False PlanFailed');
});

test('saying the same again changes nothing, and each names the generation', (t) => {
  const statusUpdate = { status: working('JobRunning', 'It runs') };
  const first = conditionsOf(statusUpdate, undefined, { generation: 2, now: 0 });
  t.deepEqual(conditionsOf(statusUpdate, first, { generation: 2, now: 60_000 }), first);
  t.true(first.every(({ observedGeneration }) => observedGeneration === 2));
});

const decision: Decision<object> = { step: 'Idle', facts: {}, status: settled(true, 'Applied', 'All is there') };

const dependenciesOf = (harness: Harness) => {
  const told: string[] = [];
  const deps = {
    ...harness,
    clock: { now: harness.now },
    recorder: {
      record: (_r: unknown, _o: unknown, { type, reason }: { type: string; reason: string }) =>
        void told.push(`${type} ${reason}`),
    },
  };
  return { deps: deps as unknown as ReconcileDependencies, told };
};

const write = (harness: Harness, deps: ReconcileDependencies, object: KubeObject, made: Decision<object> = decision) =>
  writeStatus(
    deps,
    { resource: patrolSyncs, object, before: (object.status as { conditions?: never } | undefined)?.conditions },
    made,
  );

test('a status over an old copy is not written: whoever was faster has written something down', async (t) => {
  const harness = await startHarness(t);
  harness.make('north');
  const { deps } = dependenciesOf(harness);
  const old = harness.sync('north');
  t.true(await write(harness, deps, old));
  const { step } = harness.sync('north').status ?? {};
  t.is(step, 'Idle');
  t.false(await write(harness, deps, old, { ...decision, step: 'Stalled' }));
  t.is(harness.sync('north').status?.step, 'Idle');
});

test('a status that says the same costs no call, and what changes is told once', async (t) => {
  const harness = await startHarness(t);
  harness.make('north');
  const { deps, told } = dependenciesOf(harness);
  t.true(await write(harness, deps, harness.sync('north')));
  const calls = harness.server.requests.length;
  harness.pass(60_000);
  t.true(await write(harness, deps, harness.sync('north')));
  t.is(harness.server.requests.length, calls);
  t.true(
    await write(harness, deps, harness.sync('north'), {
      ...decision,
      status: stalled('RunFailed', 'It is not whole'),
    }),
  );
  t.true(await write(harness, deps, harness.sync('north'), { ...decision, status: stalled('RunFailed', 'Still not') }));
  t.deepEqual(told, ['Normal Applied', 'Warning RunFailed']);
});

test('an object that is gone, or another one of its name, is left alone', async (t) => {
  const harness = await startHarness(t);
  harness.make('north');
  const { deps } = dependenciesOf(harness);
  const old = harness.sync('north');
  const path = '/apis/ranger-relay.dev/v1alpha1/namespaces/park/patrolsyncs/north';
  harness.server.call('DELETE', path);
  t.false(await write(harness, deps, old));
  harness.make('north');
  t.false(await write(harness, deps, old));
  t.is(harness.sync('north').status, undefined);
});
