import type { KubeObject } from '@ranger-relay/operator-kit';
import test from 'ava';
import { patrolSyncs } from '../api/group.ts';
import type { PlanStatus } from '../api/run-status.ts';
import { approval, type Decision, type Say, settled, stalled, working } from '../decide/decision.ts';
import { plan } from '../test/sight.ts';
import { startWorld, type World } from '../test/world.ts';
import type { ReconcileParts } from './parts.ts';
import { conditionsOf, writeStatus } from './write.ts';

const said = (say: Say, present?: PlanStatus) =>
  Object.fromEntries(
    conditionsOf({ say, ...(present ? { plan: present } : {}) }, undefined, { generation: 2, now: 0 }).map(
      ({ type, status, reason }) => [type, `${status} ${reason}`],
    ),
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
  const say = settled(true, 'Applied', '');
  t.is(said(say, plan())['Planned'], 'True Planned');
  t.is(said(say)['Planned'], 'False NoPlan');
  t.is(said(say, plan({ outcome: 'failed' }))['Planned'], 'False PlanFailed');
});

test('saying the same again changes nothing, and each names the generation', (t) => {
  const say = { say: working('JobRunning', 'It runs') };
  const first = conditionsOf(say, undefined, { generation: 2, now: 0 });
  t.deepEqual(conditionsOf(say, first, { generation: 2, now: 60_000 }), first);
  t.true(first.every(({ observedGeneration }) => observedGeneration === 2));
});

const signal = new AbortController().signal;
const decision: Decision<object> = { step: 'Idle', facts: {}, say: settled(true, 'Applied', 'All is there') };

const partsOf = (world: World) => {
  const told: string[] = [];
  const parts = {
    ...world,
    clock: { now: world.now },
    recorder: {
      record: (_r: unknown, _o: unknown, { type, reason }: { type: string; reason: string }) =>
        void told.push(`${type} ${reason}`),
    },
  };
  return { parts: parts as unknown as ReconcileParts, told };
};

const write = (world: World, parts: ReconcileParts, object: KubeObject, made: Decision<object> = decision) =>
  writeStatus(
    parts,
    { resource: patrolSyncs, object, before: (object.status as { conditions?: never } | undefined)?.conditions },
    made,
    signal,
  );

test('a status over an old copy is not written: whoever was faster has written something down', async (t) => {
  const world = await startWorld(t);
  world.make('north');
  const { parts } = partsOf(world);
  const old = world.sync('north');
  t.true(await write(world, parts, old));
  const { step } = world.sync('north').status ?? {};
  t.is(step, 'Idle');
  t.false(await write(world, parts, old, { ...decision, step: 'Stalled' }));
  t.is(world.sync('north').status?.step, 'Idle');
});

test('a status that says the same costs no call, and what changes is told once', async (t) => {
  const world = await startWorld(t);
  world.make('north');
  const { parts, told } = partsOf(world);
  t.true(await write(world, parts, world.sync('north')));
  const calls = world.server.requests.length;
  world.pass(60_000);
  t.true(await write(world, parts, world.sync('north')));
  t.is(world.server.requests.length, calls);
  t.true(await write(world, parts, world.sync('north'), { ...decision, say: stalled('RunFailed', 'It is not whole') }));
  t.true(await write(world, parts, world.sync('north'), { ...decision, say: stalled('RunFailed', 'Still not') }));
  t.deepEqual(told, ['Normal Applied', 'Warning RunFailed']);
});

test('an object that is gone, or another one of its name, is left alone', async (t) => {
  const world = await startWorld(t);
  world.make('north');
  const { parts } = partsOf(world);
  const old = world.sync('north');
  const path = '/apis/ranger-relay.dev/v1alpha1/namespaces/park/patrolsyncs/north';
  world.server.call('DELETE', path);
  t.false(await write(world, parts, old));
  world.make('north');
  t.false(await write(world, parts, old));
  t.is(world.sync('north').status, undefined);
});
