import test from 'ava';
import { rollbackSpecSchema, type RollbackStatus } from '../api/rollback.ts';
import { hash, job, now, plan, run, summary, view } from '../test/observed.ts';
import type { RollbackObserved } from './observed.ts';
import { decideRollback, wantsToUndo } from './rollback.ts';

const observed = (
  spec: object = {},
  status: RollbackStatus = {},
  more: Partial<RollbackObserved> = {},
): RollbackObserved => ({
  name: 'back',
  namespace: 'park',
  uid: 'b1',
  generation: 2,
  spec: rollbackSpecSchema.parse({
    syncRef: { name: 'north' },
    records: ['north/1/r.json'],
    mode: 'apply',
    approve: hash,
    ...spec,
  }),
  status,
  jobs: [],
  pods: [],
  siteLock: { mine: false, free: true, holder: '' },
  secretProblem: undefined,
  now,
  sync: { folder: 'north', stepsAside: true },
  ...more,
});

const mine = { mine: true, free: false, holder: 'me' };
const planned: RollbackStatus = { plans: 1, plan: plan({ counts: { undone: 3, left: 1 } }) };

test('an undo is looked at first, and only shown in mode plan', (t) => {
  t.like(decideRollback(observed()).action, { kind: 'create', job: { command: 'undo-plan' } });
  const shown = decideRollback(observed({ mode: 'plan' }, planned));
  t.like(shown, { step: 'Idle', status: { ready: true, reason: 'Planned' } });
  t.regex(shown.status.message, /^3 entries would be undone, 1 left/);
});

test('nothing is written before the PatrolSync has stepped aside and the site is free', (t) => {
  const waits = observed({}, planned, { sync: { folder: 'north', stepsAside: false } });
  t.is(decideRollback(waits).step, 'WaitSync');
  t.is(
    decideRollback(observed({}, planned, { siteLock: { mine: false, free: false, holder: 'x' } })).step,
    'WaitForSiteLock',
  );
  t.is(decideRollback(observed({}, planned)).step, 'AcquireSiteLock');
  t.like(decideRollback(observed({}, planned, { siteLock: mine })).action, {
    kind: 'create',
    job: { command: 'undo', attempt: 0 },
  });
});

test('nothing is taken back without approval of exactly this plan', (t) => {
  for (const [approve, reason] of [
    [undefined, 'ApprovalRequired'],
    ['b'.repeat(64), 'OtherPlanApproved'],
  ] as const) {
    const waits = decideRollback(observed({ approve }, planned, { siteLock: mine }));
    t.like(decideRollback(observed({ approve }, planned)), { step: 'WaitApproval', action: undefined });
    t.is(waits.step, 'ReleaseSiteLock');
    const { status: statusUpdate } = decideRollback(observed({ approve }, planned));
    t.like(statusUpdate, { state: 'approval', reason });
    t.regex(statusUpdate.message, new RegExp(`kubectl patch patrolsyncrollbacks back .*"approve":"${hash}"`));
    t.false(wantsToUndo(observed({ approve }).spec, planned, 2), 'the PatrolSync need not step aside yet');
  }
  const { action } = decideRollback(observed({}, planned, { siteLock: mine }));
  t.like(action, { job: { command: 'undo', planHash: hash } });
  t.true(wantsToUndo(observed().spec, planned, 2));
});

test('a plan that no longer holds is made anew, and asks again', (t) => {
  const ended = summary({ command: 'undo', outcome: 'failed', exit: 1, reason: 'plan_outdated' });
  const undo = job({ command: 'undo' });
  const jobs = [view({ command: 'undo', ended: true, summary: ended })];
  const { facts } = decideRollback(observed({}, { ...planned, job: undo }, { jobs, siteLock: mine }));
  t.true(facts.plan?.outdated);
  t.like(decideRollback(observed({}, facts)).action, { kind: 'create', job: { command: 'undo-plan', number: 2 } });
});

test('without its PatrolSync it says so', (t) => {
  t.like(decideRollback(observed({}, {}, { sync: undefined })).status, { state: 'stalled', reason: 'SyncMissing' });
});

const failed = (attempt: number): RollbackStatus => ({
  ...planned,
  lastRun: run({ command: 'undo', outcome: 'failed', attempt }),
});

test('an undo that failed is tried again, as often as the spec says', (t) => {
  t.is(decideRollback(observed({}, failed(0))).step, 'WaitRetry');
  t.like(decideRollback(observed({}, failed(0), { now: now + 60_000, siteLock: mine })).action, {
    job: { command: 'undo', attempt: 1 },
  });
  t.like(decideRollback(observed({}, failed(2), { now: now + 9e6 })).status, {
    state: 'stalled',
    reason: 'UndoFailed',
  });
});

test('what is undone stays so: nothing is due any more, and the Lease is given back', (t) => {
  const undone: RollbackStatus = { ...planned, lastRun: run({ command: 'undo', counts: { undone: 3 } }) };
  t.like(decideRollback(observed({}, undone)), { step: 'Idle', status: { ready: true, reason: 'Undone' } });
  t.like(decideRollback(observed({}, undone, { siteLock: mine })), { step: 'ReleaseSiteLock' });
});

test('an undo that leaves entries, or finds some undone, is over and says how many', (t) => {
  const counts = { undone: 2, already_there: 11, left: 1, failed: 0 };
  const status = { ...planned, job: job({ command: 'undo' }) };
  const end = summary({ command: 'undo', exit: 3, reason: 'entries_left', counts });
  const ended = view({ command: 'undo', ended: true, summary: end });
  const { facts } = decideRollback(observed({}, status, { jobs: [ended], siteLock: mine }));
  const { status: over } = decideRollback(observed({}, { ...planned, ...facts }));
  t.like(over, { ready: true, reason: 'Undone' });
  t.regex(over.message ?? '', /^13 entries are undone, 1 left/);
  const { status: asked } = decideRollback(observed({ mode: 'plan' }, { plans: 1, plan: plan({ counts }) }));
  t.regex(asked.message ?? '', /2 entries would be undone, 11 are already, 1 left/);
});

test('the report is where the tool leaves it: beside the newest of the records', (t) => {
  const records = [
    'north/4/patrol-datamodel-run-20260301T000000Z.json',
    'north/10/patrol-datamodel-run-20260401T000000Z.json',
  ];
  const status = { ...planned, job: job({ command: 'undo' }) };
  const ended = view({ command: 'undo', ended: true, summary: summary({ command: 'undo', report: 'undo.json' }) });
  const { facts } = decideRollback(observed({ records }, status, { jobs: [ended], siteLock: mine }));
  t.is(facts.lastRun?.record, 'north/10/undo.json');
});

test('an undo under way is waited for, also when the spec has changed', (t) => {
  const status = { ...planned, job: job({ command: 'undo', generation: 1 }) };
  t.is(decideRollback(observed({}, status, { jobs: [view({ command: 'undo' })], siteLock: mine })).step, 'WaitJob');
});

test('what is suspended starts nothing', (t) => {
  t.is(decideRollback(observed({ suspend: true })).step, 'Suspended');
});
