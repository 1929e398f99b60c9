import test from 'ava';
import type { SyncStatus } from '../api/sync-status.ts';
import { hash, job, now, plan, run, observed, view } from '../test/observed.ts';
import { syncInputs } from './inputs.ts';
import type { SyncObserved } from './observed.ts';
import { decideSync } from './sync.ts';

const stepOf = (o: SyncObserved): string => decideSync(o).step;
const mine = { mine: true, free: false, holder: 'me' };
const approved = { approve: hash };
const used = { value: hash, generation: 2, run: '', hashes: [hash] };
const checkedAt = new Date(now - 500).toISOString();
const drift = { generation: 2, run: '', number: 1, differences: 0, lastRun: 'north-apply-1', checkedAt };

/** A plan and an approval as this version writes them down, of the spec that is given. */
const planned = (spec: object): SyncStatus => {
  const inputs = syncInputs(observed(spec).spec, 'plan');
  return { plans: 1, plan: plan({ inputs }), approval: { ...used, inputs } };
};

test('a field that only says how the operator works voids neither the plan nor its approval', (t) => {
  const status = planned(approved);
  const held = { siteLock: mine, generation: 9 };
  const { approval: _, ...unused } = status;
  for (const more of [
    { suspend: false },
    { retries: 9 },
    { keepRuns: 7 },
    { jobRetention: '2h' },
    { driftCheckInterval: '9h' },
  ]) {
    t.like(decideSync(observed({ ...approved, ...more }, unused, held)).action, {
      kind: 'create',
      job: { command: 'apply' },
    });
    t.like(
      decideSync(
        observed(
          { ...approved, ...more },
          { ...status, lastRun: run(), drift: { ...drift, inputs: status.plan?.inputs } },
          held,
        ),
      ),
      {
        step: 'ReleaseSiteLock',
        status: { ready: true },
      },
    );
  }
  const paused = decideSync(observed({ ...approved, suspend: true }, unused, { generation: 9 }));
  t.like(paused, { step: 'Suspended', facts: { plan: { hash } }, plan: { hash } });
  const raised = decideSync(observed({ ...approved, maxDeactivations: 9 }, unused, held));
  t.like(raised.action, { kind: 'create', job: { command: 'apply' } });
});

test('a field that the plan follows from voids it', (t) => {
  const status = planned(approved);
  for (const more of [
    { language: 'fr' },
    { word: 'w' },
    { subjectNameSuffix: true },
    { approve: 'auto' },
    { rosterGroup: 'x' },
    { mode: 'plan', approve: undefined },
  ])
    t.like(decideSync(observed({ ...approved, ...more }, status, { generation: 9 })), {
      plan: undefined,
      action: { kind: 'create', job: { command: 'plan', number: 2 } },
    });
});

test('a rollback stays in force when a field changes that no plan follows from', (t) => {
  const inputs = syncInputs(observed(approved).spec, 'plan');
  const rolledBack = { name: 'back', uid: 'b1', generation: 2, run: '', inputs };
  const o = observed(
    { ...approved, suspend: false, retries: 5 },
    { plans: 1, plan: plan(), rolledBack },
    { generation: 9 },
  );
  t.like(decideSync(o), { step: 'RolledBack', action: undefined });
});

test('a Job that was made for another limit of deactivations, or for another number of runs, does not begin', (t) => {
  for (const [command, before, now] of [
    ['apply', { maxDeactivations: 5 }, { maxDeactivations: 1 }],
    ['prune', { keepRuns: 5 }, { keepRuns: 1 }],
    ['prune', { keepRuns: 5 }, {}],
  ] as const) {
    const inputs = syncInputs(observed({ ...approved, ...before }).spec, command);
    const waiting = { ...planned(approved), job: job({ command, inputs }) };
    const jobs = [view({ command, suspended: true })];
    t.is(stepOf(observed({ ...approved, ...before }, waiting, { jobs, siteLock: mine })), 'ReleaseJob');
    t.is(stepOf(observed({ ...approved, ...now }, waiting, { jobs, siteLock: mine })), 'RemoveJob');
  }
});

test('what an older version wrote down holds for its generation', (t) => {
  const old: SyncStatus = { plans: 1, plan: plan() };
  t.is(stepOf(observed(approved, old)), 'AcquireSiteLock');
  t.like(decideSync(observed(approved, old, { generation: 3 })).action, { job: { command: 'plan', number: 2 } });
});

test('a field that a later version adds, with its default, voids no plan', (t) => {
  const spec = observed(approved).spec;
  t.is(syncInputs({ ...spec, later: false, other: undefined } as never, 'plan'), syncInputs(spec, 'plan'));
});
