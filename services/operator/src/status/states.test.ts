import test from 'ava';
import { manualClock, testContext } from '@ranger-relay/runtime/testing';
import { patrolSyncs } from '../api/group.ts';
import { approval, settled, stalled, working, type StatusUpdate } from '../decide/decision.ts';
import { conditionsOf } from '../reconcile/write.ts';
import { countStates, stateOf } from './states.ts';

const object = (statusUpdate?: StatusUpdate) => ({
  metadata: { name: 'a' },
  ...(statusUpdate
    ? { status: { conditions: conditionsOf({ status: statusUpdate }, undefined, { generation: 1, now: 0 }) } }
    : {}),
});

test('each object is in one state', (t) => {
  t.is(stateOf(object()), 'other');
  t.is(stateOf(object(settled(true, 'Applied', ''))), 'ready');
  t.is(stateOf(object(working('JobRunning', '', true))), 'ready');
  t.is(stateOf(object(settled(false, 'DriftFound', ''))), 'drift');
  t.is(stateOf(object(settled(false, 'BundleChanged', ''))), 'drift');
  t.is(stateOf(object(settled(false, 'CheckFailed', ''))), 'unchecked');
  t.is(stateOf(object(stalled('RunFailed', ''))), 'stalled');
  t.is(stateOf(object(approval('ApprovalRequired', ''))), 'approval');
  t.is(stateOf(object(working('JobRunning', ''))), 'working');
});

test('changes are counted soon, and a state that nobody is in any more is none', async (t) => {
  const clock = manualClock();
  const { metrics } = testContext();
  let objects = [object(stalled('RunFailed', '')), object()];
  let tell: () => void = t.fail;
  const onChange = (listener: () => void) => {
    tell = listener;
  };
  const informer = { cache: { values: () => objects }, onChange };
  const stop = countStates({ resource: patrolSyncs, informer: informer as never, clock, metrics });
  t.regex(await metrics.render(), /relay_sync_objects\{kind="PatrolSync",state="stalled"\} 1/);
  objects = [object(settled(true, 'Applied', ''))];
  tell();
  tell();
  await clock.advance(1_000);
  const text = await metrics.render();
  t.regex(text, /relay_sync_objects\{kind="PatrolSync",state="stalled"\} 0/);
  t.regex(text, /relay_sync_objects\{kind="PatrolSync",state="ready"\} 1/);
  stop();
});
