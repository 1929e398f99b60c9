import test from 'ava';
import type { SyncStatus } from '../api/sync-status.ts';
import { hash, job, now, plan, run, observed, summary, view } from '../test/observed.ts';
import type { SyncObserved } from './observed.ts';
import { decideSync } from './sync.ts';

const stepOf = (o: SyncObserved): string => decideSync(o).step;
const sayOf = (o: SyncObserved) => decideSync(o).status;
const missing = { reason: 'SecretMissing', message: 'There is no Secret site' } as const;
const mine = { mine: true, free: false, holder: 'me' };
const earlier = (ms: number): string => new Date(now - ms).toISOString();
const drift = { generation: 2, run: '', number: 1, differences: 0, lastRun: 'north-apply-1', checkedAt: earlier(500) };
const approved = { approve: hash };
const used = { value: hash, generation: 2, run: '', hashes: [hash] };

test('an object without a plan gets one; the same observed leads to the same Job', (t) => {
  const first = decideSync(observed());
  t.like(first.action, { kind: 'create', job: { command: 'plan', number: 1, generation: 2 } });
  t.deepEqual(decideSync(observed()), first);
});

test('another spec, another run annotation and an outdated plan lead to another plan', (t) => {
  for (const o of [
    observed({}, { plans: 1, plan: plan({ generation: 1 }) }),
    observed({}, { plans: 1, plan: plan() }, { run: 'again' }),
    observed({}, { plans: 1, plan: plan({ outdated: true }) }),
  ])
    t.like(decideSync(o).action, { kind: 'create', job: { command: 'plan', number: 2 } });
});

test('nothing is applied without approval of exactly this plan', (t) => {
  const status: SyncStatus = { plans: 1, plan: plan() };
  for (const [spec, more, reason] of [
    [{}, {}, 'ApprovalRequired'],
    [{ approve: 'b'.repeat(64) }, {}, 'OtherPlanApproved'],
    [approved, { approval: used }, 'ApprovalUsed'],
  ] as const) {
    const decision = decideSync(observed(spec, { ...status, ...more }));
    t.is(decision.step, 'WaitApproval');
    t.is(decision.action, undefined);
    t.like(decision.status, { reason, state: 'approval', ready: false });
  }
});

test('an approval that was taken back and given again is a new one', (t) => {
  const { facts } = decideSync(observed({}, { plans: 1, plan: plan(), approval: used }));
  t.is(facts.approval, undefined);
  t.is(stepOf(observed(approved, { plans: 1, plan: plan() })), 'AcquireSiteLock');
});

test('a plan with too many deactivations is not applied, whatever approves it', (t) => {
  for (const approve of [hash, 'auto']) {
    const o = observed({ approve, maxDeactivations: 4 }, { plans: 1, plan: plan({ peopleDeactivated: 5 }) });
    t.like(sayOf(o), { state: 'stalled', reason: 'TooManyDeactivations' });
    t.is(stepOf(observed({ approve, maxDeactivations: 5 }, o.status)), 'AcquireSiteLock');
  }
});

const auto = (hashes: string[], more = {}) =>
  observed(
    { approve: 'auto' },
    { plans: 9, plan: plan(), approval: { value: 'auto', generation: 2, run: '', hashes, ...more } },
  );

test('auto does not apply one plan again by itself, and not any number of them', (t) => {
  t.like(sayOf(auto([hash])), { state: 'stalled', reason: 'ApprovalUsed' });
  t.like(sayOf(auto(['1', '2', '3', '4', '5'])), { state: 'stalled' });
  t.is(stepOf(auto(['1', '2'])), 'AcquireSiteLock');
  t.is(stepOf(auto([hash], { generation: 1 })), 'AcquireSiteLock');
  t.is(stepOf(auto([hash], { run: 'before' })), 'AcquireSiteLock');
});

test('an approved plan comes to its Job step by step, each written down before the next', (t) => {
  const status: SyncStatus = { plans: 1, plan: plan() };
  const busy = observed(approved, status, { siteLock: { mine: false, free: false, holder: 'PatrolSync park/south' } });
  t.is(stepOf(busy), 'WaitForSiteLock');
  t.regex(sayOf(busy).message, /PatrolSync park\/south/);
  t.is(stepOf(observed(approved, status)), 'AcquireSiteLock');
  const { action } = decideSync(observed(approved, status, { siteLock: mine }));
  t.like(action, { kind: 'create', job: { command: 'apply', planHash: hash, number: 1 } });
  const name = action?.kind === 'create' ? action.job.name : '';
  const made = view({ name, suspended: true });
  const recorded = decideSync(observed(approved, status, { siteLock: mine, jobs: [made] }));
  t.is(recorded.step, 'RecordJob');
  t.like(recorded.facts, { job: { uid: 'j1', planHash: hash }, approval: { value: hash, hashes: [hash] } });
  const released = decideSync(observed(approved, recorded.facts, { siteLock: mine, jobs: [made] }));
  t.like(released.action, { kind: 'release', job: { uid: 'j1' } });
});

test('a Job that has not begun is dropped when the spec has changed or a rollback comes', (t) => {
  const jobs = [view({ suspended: true })];
  const status: SyncStatus = { plans: 1, plan: plan(), approval: used, job: job() };
  t.is(stepOf(observed(approved, { ...status, job: job({ generation: 1 }) }, { jobs, siteLock: mine })), 'RemoveJob');
  t.is(stepOf(observed(approved, { ...status, job: job({ run: 'before' }) }, { jobs, siteLock: mine })), 'RemoveJob');
  const rollbacks = [{ name: 'back', uid: 'b1', wants: true }];
  t.is(stepOf(observed(approved, status, { jobs, siteLock: mine, rollbacks })), 'RemoveJob');
  t.is(stepOf(observed({ ...approved, suspend: true }, status, { jobs, siteLock: mine })), 'Suspended');
});

test('a Job that writes is never broken off; one that only looks is', (t) => {
  const old = { generation: 1 };
  t.is(stepOf(observed({}, { job: job(old) }, { jobs: [view()], siteLock: mine })), 'WaitJob');
  const looks = { command: 'plan' as const };
  t.is(stepOf(observed({}, { job: job({ ...old, ...looks }) }, { jobs: [view(looks)] })), 'RemoveJob');
});

test('nothing goes on while a pod of the last Job may still write', (t) => {
  const pods = [{ name: 'p1', job: 'north-apply-1', waits: undefined, dueToEnd: now }];
  for (const jobs of [[], [view({ ended: true })]]) {
    const o = observed(approved, { plans: 1, plan: plan(), job: job() }, { jobs, pods, siteLock: mine });
    t.is(stepOf(o), 'WaitPods');
    t.regex(sayOf(o).message, /kubectl delete pod p1 -n park --force/);
  }
});

const lasting = (ms: number, of = 'north-apply-1') => [{ name: 'p1', job: of, waits: undefined, dueToEnd: now - ms }];

test('a pod that does not end, as on a node that is gone, is told to people after a quarter of an hour', (t) => {
  const status: SyncStatus = { plans: 1, plan: plan(), approval: used, job: job() };
  for (const jobs of [[], [view()], [view({ ended: true })]]) {
    t.like(sayOf(observed(approved, status, { jobs, siteLock: mine, pods: lasting(899_000) })), {
      state: 'working',
    });
    const o = observed(approved, status, { jobs, siteLock: mine, pods: lasting(901_000) });
    t.like(decideSync(o), { step: 'WaitPods', action: undefined, status: { state: 'stalled', reason: 'PodStuck' } });
    t.regex(sayOf(o).message, /kubectl delete pod p1 -n park --force/);
  }
  const ending = observed(approved, status, { jobs: [view()], siteLock: mine, pods: lasting(0) });
  t.is(decideSync(ending).requeueAfterMs, 30_000);
});

test('a pod that does not begin is told to people after five minutes, with its reason, and goes on by itself', (t) => {
  const pods = [{ name: 'p1', job: 'north-apply-1', waits: 'ErrImagePull', dueToEnd: undefined }];
  const after = (ms: number) => {
    const since = new Date(now - ms).toISOString();
    return observed(
      approved,
      { plans: 1, plan: plan(), job: job({ since }) },
      { jobs: [view()], siteLock: mine, pods },
    );
  };
  t.like(sayOf(after(299_000)), { state: 'working', reason: 'JobWaiting' });
  t.like(decideSync(after(301_000)), { action: undefined, requeueAfterMs: 30_000, status: { state: 'stalled' } });
  t.regex(sayOf(after(301_000)).message, /ErrImagePull; for details: kubectl describe pod p1 -n park/);
});

test('an object that cannot be looked at any more is not ready, so that somebody is told', (t) => {
  const applied: SyncStatus = { plans: 1, plan: plan(), approval: used, lastRun: run(), drift };
  const later = { now: now + 86_400_000, secretProblem: missing };
  t.like(sayOf(observed(approved, applied, later)), { ready: false, state: 'stalled', reason: 'SecretMissing' });
  const verify = { name: 'north-verify-1', command: 'verify' as const };
  const pods = lasting(901_000, verify.name);
  const stuck = observed(approved, { ...applied, job: job(verify) }, { jobs: [view(verify)], pods });
  t.like(sayOf(stuck), { ready: false, state: 'stalled', reason: 'PodStuck' });
});

test('a Job that vanished is a run of which nothing is known: it is resumed, not applied again', (t) => {
  const { step, facts } = decideSync(
    observed(approved, { plans: 1, plan: plan(), approval: used, job: job() }, { siteLock: mine }),
  );
  t.is(step, 'RecordEnd');
  t.like(facts, { job: undefined, lastRun: { outcome: 'unknown', attempt: 0 } });
  const later = observed(approved, facts, { siteLock: mine, now: now + 60_000 });
  t.like(decideSync(later).action, { kind: 'create', job: { command: 'resume', attempt: 1 } });
});

const failedRun = (attempt: number, more = {}) => ({
  plans: 1,
  plan: plan(),
  approval: used,
  lastRun: run({ outcome: 'failed', attempt, record: 'north/1/r.json', ...more }),
});

test('a run that failed is resumed after a while, and as often as the spec says', (t) => {
  t.like(decideSync(observed(approved, failedRun(0))), { step: 'WaitRetry', requeueAfterMs: 59_000 });
  t.is(stepOf(observed(approved, failedRun(0), { now: now + 60_000 })), 'AcquireSiteLock');
  t.like(sayOf(observed(approved, failedRun(2), { now: now + 9e6 })), { state: 'stalled', reason: 'RunFailed' });
  t.like(sayOf(observed({ ...approved, retries: 0 }, failedRun(0, { outcome: 'unknown' }))), { state: 'stalled' });
  t.like(sayOf(observed(approved, failedRun(1, { nothingWritten: true }))), {
    state: 'stalled',
    reason: 'NothingWritten',
  });
  t.like(sayOf(observed(approved, failedRun(0, { outcome: 'usage' }))), { state: 'stalled' });
});

const failedPlan = (more = {}) => ({
  plans: 1,
  plan: plan({ outcome: 'failed', reason: 'site_unavailable', message: 'It is away', ...more }),
});

test('a plan that failed is tried again, then a person is asked', (t) => {
  t.is(stepOf(observed({}, failedPlan())), 'WaitRetry');
  t.like(decideSync(observed({}, failedPlan(), { now: now + 60_000 })).action, { job: { command: 'plan', number: 2 } });
  const o = observed({}, failedPlan({ tries: 3 }));
  t.like(sayOf(o), { state: 'stalled', reason: 'PlanFailed' });
  t.regex(
    sayOf(o).message,
    /It is away \(site_unavailable\).*kubectl annotate patrolsync north -n park ranger-relay.dev\/run=/,
  );
});

test('what is applied is compared with the bundle before it is ready, and again when it is time', (t) => {
  const status: SyncStatus = { plans: 1, plan: plan(), approval: used, lastRun: run() };
  const unseen = decideSync(observed(approved, status));
  t.like(unseen.action, { job: { command: 'verify', number: 1 } });
  t.false(unseen.status.ready);
  const before = decideSync(observed(approved, { ...status, drift: { ...drift, lastRun: 'north-apply-0' } }));
  t.like(before, { action: { job: { command: 'verify', number: 2 } }, status: { ready: false } });
  const seen = decideSync(observed(approved, { ...status, drift }));
  t.like(seen, { step: 'Idle', status: { ready: true, reason: 'Applied' } });
  const due = decideSync(observed(approved, { ...status, drift }, { now: now + 86_400_000 }));
  t.like(due, { action: { job: { command: 'verify', number: 2 } }, status: { ready: true } });
  t.is(stepOf(observed({ ...approved, driftCheckInterval: '0s' }, { ...status, drift }, { now: now + 9e9 })), 'Idle');
});

test('a comparison tells whether the patrols would import, and the verdict alone changes nothing', (t) => {
  const verify = { name: 'north-verify-1', command: 'verify' as const };
  const verdict = '1 patrol would import, 2 would not: teams.';
  const ended = view({
    ...verify,
    ended: true,
    summary: summary({ command: 'verify', counts: { differences: 0 }, verdict }),
  });
  const status: SyncStatus = { plans: 1, plan: plan(), approval: used, lastRun: run(), job: job(verify) };
  const { facts } = decideSync(observed(approved, status, { jobs: [ended] }));
  t.like(facts.drift, { differences: 0, verdict });
  t.like(sayOf(observed(approved, { ...facts, job: undefined })), { ready: true, reason: 'Applied' });
});

test('drift is said and nothing is done; a comparison that failed is not taken for one that found nothing', (t) => {
  const status: SyncStatus = { plans: 1, plan: plan(), approval: used, lastRun: run() };
  t.like(decideSync(observed(approved, { ...status, drift: { ...drift, differences: 4 } })), {
    step: 'Idle',
    status: { ready: false, reason: 'DriftFound', state: 'settled' },
  });
  const { differences: _, ...rest } = drift;
  t.like(sayOf(observed(approved, { ...status, drift: { ...rest, message: 'It is away' } })), {
    ready: false,
    reason: 'CheckFailed',
  });
});

test('a site is looked at once a minute at most, however short an interval an object asks for', (t) => {
  const often = { ...approved, driftCheckInterval: '1s' };
  const status: SyncStatus = { plans: 1, plan: plan(), approval: used, lastRun: run(), drift };
  t.like(decideSync(observed(often, status, { now: now + 59_000 })), { step: 'Idle' });
  t.like(decideSync(observed(often, status, { now: now + 60_000 })).action, { job: { command: 'verify' } });
});

test('mode plan only plans, and renews it', (t) => {
  const status: SyncStatus = { plans: 1, plan: plan() };
  t.like(decideSync(observed({ mode: 'plan' }, status)), { step: 'Idle', status: { ready: true, reason: 'Planned' } });
  t.like(decideSync(observed({ mode: 'plan' }, status, { now: now + 86_400_000 })).action, {
    job: { command: 'plan', number: 2 },
  });
});

test('a plan without writes needs no approval', (t) => {
  const facts = { plans: 1, plan: plan({ writes: 0 }) };
  t.like(decideSync(observed({}, facts, { siteLock: mine })).action, { job: { command: 'apply' } });
  t.like(decideSync(observed({}, { ...facts, lastRun: run(), drift })), { step: 'Idle', status: { ready: true } });
});

test('a rollback is let through when no Job is under way, and blocks until the spec or the run annotation changes', (t) => {
  const rollbacks = [{ name: 'back', uid: 'b1', wants: true }];
  const status: SyncStatus = { plans: 1, plan: plan(), approval: used, lastRun: run(), drift };
  t.is(stepOf(observed(approved, { ...status, job: job() }, { rollbacks, jobs: [view()], siteLock: mine })), 'WaitJob');
  const aside = decideSync(observed(approved, status, { rollbacks }));
  t.like(aside, { step: 'StepAside', facts: { rolledBack: { uid: 'b1', generation: 2 } } });
  t.like(decideSync(observed(approved, aside.facts)), { step: 'RolledBack', status: { ready: false } });
  t.is(stepOf(observed(approved, aside.facts, { run: 'again' })), 'CreateJob');
  t.is(stepOf(observed({ ...approved, language: 'fr' }, aside.facts, { generation: 3 })), 'CreateJob');
});

test('what is suspended starts nothing and keeps what it has', (t) => {
  t.like(decideSync(observed({ suspend: true })), { step: 'Suspended', status: { ready: false } });
  t.is(stepOf(observed({ suspend: true }, { job: job() }, { jobs: [view()], siteLock: mine })), 'WaitJob');
});

test('the Lease is given back as soon as nothing writes', (t) => {
  const status: SyncStatus = { plans: 1, plan: plan(), approval: used, lastRun: run(), drift };
  t.like(decideSync(observed(approved, status, { siteLock: mine })), {
    step: 'ReleaseSiteLock',
    action: { kind: 'releaseLock' },
    status: { ready: true },
  });
  t.is(
    stepOf(observed(approved, { plans: 1, plan: plan() }, { siteLock: mine, secretProblem: missing })),
    'ReleaseSiteLock',
  );
});

test('a Job without a Secret is not made; the Lease is not kept for it', (t) => {
  const o = observed(approved, { plans: 1, plan: plan() }, { secretProblem: missing });
  t.like(decideSync(o), { step: 'WaitSecret', status: { state: 'stalled', reason: 'SecretMissing' } });
  t.is(decideSync(o).action, undefined);
});

test('a status that was lost: a Job that may be writing is taken over, the others are deleted', (t) => {
  const { uid: _u, since: _s, ...wanted } = job();
  const adopted = decideSync(observed(approved, {}, { jobs: [view({ wanted })] }));
  t.like(adopted, { step: 'RecordJob', facts: { job: { uid: 'j1', planHash: hash } } });
  t.is(stepOf(observed(approved, {}, { jobs: [view({ suspended: true, wanted })] })), 'RemoveJob');
  t.is(stepOf(observed(approved, {}, { jobs: [view({ command: 'plan' })] })), 'RemoveJob');
});

test('plan_outdated leads to a new plan; its approval was used', (t) => {
  const summary = {
    outcome: 'failed',
    exit: 1,
    reason: 'plan_outdated',
    counts: {},
    record: null,
    message: 'changed',
    checklist: null,
  } as never;
  const { facts } = decideSync(
    observed(
      approved,
      { plans: 1, plan: plan(), approval: used, job: job() },
      { jobs: [view({ ended: true, summary })], siteLock: mine },
    ),
  );
  t.true(facts.plan?.outdated);
  const next = decideSync(observed(approved, facts));
  t.like(next.action, { job: { command: 'plan', number: 2 } });
  t.like(sayOf(observed(approved, { ...facts, plans: 2, plan: plan({ number: 2 }) })), {
    state: 'approval',
    reason: 'ApprovalUsed',
  });
});

const applied = (number: number, pruned?: number): SyncStatus => ({
  plans: number,
  plan: plan({ number }),
  lastRun: run({ number }),
  drift,
  ...(pruned === undefined ? {} : { pruned: { number: pruned } }),
});

test('older runs are deleted once behind each plan, when all is applied and more lie there than are kept', (t) => {
  const kept = { mode: 'apply', approve: hash, keepRuns: 3 };
  t.like(decideSync(observed(kept, applied(4))).action, { kind: 'create', job: { command: 'prune', number: 4 } });
  t.is(stepOf(observed(kept, applied(4, 4))), 'Idle');
  t.is(stepOf(observed(kept, applied(3))), 'Idle');
  t.is(stepOf(observed(approved, applied(4))), 'Idle');
  const drifted = { ...applied(4), drift: { ...drift, differences: 1 } };
  t.is(stepOf(observed(kept, drifted)), 'Idle');
  t.is(
    stepOf(observed(kept, { plans: 4, plan: plan({ number: 4 }), lastRun: run({ number: 4, outcome: 'failed' }) })),
    'WaitRetry',
  );
});

test('an object stays ready while older runs are deleted, and when that fails', (t) => {
  const kept = { mode: 'apply', approve: hash, keepRuns: 3 };
  const status = { ...applied(4), job: job({ command: 'prune', number: 4 }) };
  t.like(decideSync(observed(kept, status, { jobs: [view({ command: 'prune' })] })).status, {
    ready: true,
    state: 'working',
  });
  const failed = summary({ outcome: 'failed', exit: 1, message: 'the volume is read-only' });
  const ended = view({ command: 'prune', ended: true, summary: failed });
  const { facts, status: statusUpdate } = decideSync(observed(kept, status, { jobs: [ended] }));
  t.true(statusUpdate.ready);
  t.like(facts.pruned, { number: 4, message: 'the volume is read-only' });
  t.is(stepOf(observed(kept, facts)), 'Idle');
});
