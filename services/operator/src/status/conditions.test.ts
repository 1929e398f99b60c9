import test from 'ava';
import type { PlanStatus } from '../api/run-status.ts';
import { approval, settled, stalled, working, type Say } from '../decide/decision.ts';
import { plan } from '../test/sight.ts';
import { conditionsOf } from './conditions.ts';

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
