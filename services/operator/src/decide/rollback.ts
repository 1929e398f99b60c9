import { posix } from 'node:path';
import { rollbacks } from '../api/group.ts';
import type { JobStatus, PlanStatus, RunStatus } from '../api/run-status.ts';
import type { RollbackFacts, RollbackSpec, RollbackStatus } from '../api/rollback.ts';
import { approval, type Decision, settled, stalled, waitDecision, type Wanted, working } from './decision.ts';
import { nextJobAction, orphanJob, ensureJob, writes, type JobStep } from './job-lifecycle.ts';
import { planOf, runOf, why } from './ends.ts';
import { isMadeFor, rollbackInputs } from './inputs.ts';
import { jobName } from './names.ts';
import type { RollbackObserved } from './observed.ts';
import { retryAt } from './retry.ts';
import { acquireSiteLock, releaseSiteLock } from './site-lock.ts';

type Made = Decision<RollbackFacts>;

const waitMs = 15_000;

const doing = (facts: RollbackFacts, { record, ...found }: JobStep): Made => ({
  ...found,
  facts: record ? { ...facts, job: record } : facts,
});

/** Builds a Job for the current spec. Its name is deterministic, so that the same request twice yields one Job. */
const wanted = (o: RollbackObserved, job: Pick<Wanted, 'command' | 'number'> & Partial<Wanted>): Wanted => {
  const { command, number, attempt = 0, planHash = '' } = job;
  const inputs = rollbackInputs(o.spec);
  const name = jobName(o.name, command, o.uid, inputs, number, planHash, attempt);
  return { ...job, name, generation: o.generation, inputs, run: '', attempt };
};

/** The plan for the current spec; it becomes invalid when its objects changed since. */
const currentPlan = (
  { spec, generation }: Pick<RollbackObserved, 'spec' | 'generation'>,
  { plan }: Pick<RollbackStatus, 'plan'>,
): PlanStatus | undefined => {
  const made = plan && isMadeFor(plan, { generation, run: '', inputs: rollbackInputs(spec) });
  return made && plan.outdated !== true ? plan : undefined;
};

const isApproved = ({ approve }: RollbackSpec, { hash }: PlanStatus): boolean =>
  hash !== undefined && (approve === 'auto' || approve === hash);

/** Folder of the undo report: next to the newest of its records; record names contain their time. */
const reportFolder = ({ spec }: RollbackObserved): string => {
  const name = posix.basename;
  const [newest = ''] = spec.records.toSorted((a, b) => (name(a) < name(b) ? 1 : -1));
  return posix.dirname(newest);
};

const ended = (
  o: RollbackObserved,
  facts: RollbackFacts,
  job: JobStatus,
  summary: Parameters<typeof planOf>[1],
): Made => {
  const { job: _, ...rest } = facts;
  const statusUpdate = working('JobEnded', `Job ${job.name} (${job.command}) has ended`);
  if (job.command === 'undo-plan') {
    const plan = planOf(job, summary, { now: o.now, path: o.sync?.folder ?? '', before: facts.plan });
    return {
      step: 'RecordEnd',
      facts: { ...rest, plans: Math.max(facts.plans ?? 0, job.number), plan },
      status: statusUpdate,
    };
  }
  const folder = reportFolder(o);
  const lastRun = runOf(job, summary, { now: o.now, folder, before: facts.lastRun });
  const report = summary?.report ? { record: posix.join(folder, summary.report) } : {};
  const { plan } = facts;
  const outdated = lastRun.reason === 'plan_outdated' && plan?.number === job.number;
  const known = { ...rest, lastRun: { ...lastRun, ...report } };
  return {
    step: 'RecordEnd',
    facts: plan && outdated ? { ...known, plan: { ...plan, outdated } } : known,
    status: statusUpdate,
  };
};

/** No retry is left: a person must act. */
const isHopeless = ({ retries }: RollbackSpec, { outcome }: PlanStatus | RunStatus, tries: number): boolean =>
  outcome === 'usage' || tries > retries;

/** Whether a rollback writes or is about to; no PatrolSync applies meanwhile. False once the rollback ran out of retries. */
export const wantsToUndo = (
  spec: RollbackSpec,
  status: Pick<RollbackStatus, 'job' | 'plan' | 'lastRun'>,
  generation: number,
): boolean => {
  const { job, lastRun } = status;
  if (job?.command === 'undo') return true;
  const plan = currentPlan({ spec, generation }, status);
  if (spec.mode !== 'apply' || spec.suspend || plan?.outcome !== 'done' || !isApproved(spec, plan)) return false;
  if (lastRun?.number !== plan.number) return true;
  return lastRun.outcome !== 'done' && !isHopeless(spec, lastRun, lastRun.attempt + 1);
};

/** Retries after a failure while retries are left. */
const again = (
  o: RollbackObserved,
  facts: RollbackFacts,
  failed: PlanStatus | RunStatus,
  tries: number,
  job: () => Wanted,
): Made | Wanted => {
  if (isHopeless(o.spec, failed, tries))
    return waitDecision(
      facts,
      'Stalled',
      stalled(
        'UndoFailed',
        `${why(failed)}. Fix the cause, then raise spec.retries or create another PatrolSyncRollback; undone entries stay undone`,
      ),
    );
  const at = retryAt(failed.endedAt, tries, o.now);
  if (o.now < at)
    return waitDecision(
      facts,
      'WaitRetry',
      working('UndoFailed', `${why(failed)}; the operator tries again`),
      at - o.now,
    );
  return job();
};

const outlook = (plan: PlanStatus): string => {
  const { undone = 0, already_there = 0, left = 0 } = plan.counts ?? {};
  const before = already_there === 0 ? '' : `, ${already_there} are already`;
  return `${undone} entries would be undone${before}, ${left} left`;
};

/** Instructions for approving a plan and carrying it out. */
const askApproval = ({ name, namespace }: RollbackObserved, hash: string): string =>
  `kubectl patch ${rollbacks.plural} ${name} -n ${namespace} --type=merge -p '{"spec":{"mode":"apply","approve":"${hash}"}}'`;

const undone = (facts: RollbackFacts, { counts, record }: RunStatus): Made => {
  const { undone = 0, already_there = 0, left = 0 } = counts ?? {};
  const report = record ? `; report ${record}` : '';
  return waitDecision(
    facts,
    'Idle',
    settled(true, 'Undone', `${undone + already_there} entries are undone, ${left} left${report}`),
  );
};

const waitApproval = (o: RollbackObserved, facts: RollbackFacts, plan: PlanStatus, hash: string): Made => {
  const [reason, what] =
    o.spec.approve === undefined
      ? ['ApprovalRequired', `Plan ${hash} waits for approval`]
      : ['OtherPlanApproved', `The approved plan is not the current plan ${hash}`];
  const text = `${what}: ${outlook(plan)}. To approve it: ${askApproval(o, hash)}`;
  return waitDecision(facts, 'WaitApproval', approval(reason, text));
};

const nextOf = (o: RollbackObserved, facts: RollbackFacts): Made | Wanted => {
  const plan = currentPlan(o, facts);
  const lookAgain = (): Wanted => wanted(o, { command: 'undo-plan', number: (facts.plans ?? 0) + 1 });
  if (!plan) return lookAgain();
  const last = facts.lastRun?.number === plan.number ? facts.lastRun : undefined;
  if (last?.outcome === 'done') return undone(facts, last);
  if (plan.outcome !== 'done') return again(o, facts, plan, plan.tries, lookAgain);
  const { number, hash } = plan;
  // A version without plan hashes made this plan.
  if (hash === undefined) return lookAgain();
  if (o.spec.mode === 'plan')
    return waitDecision(
      facts,
      'Idle',
      settled(true, 'Planned', `${outlook(plan)}. To undo it: ${askApproval(o, hash)}`),
    );
  if (!isApproved(o.spec, plan)) return waitApproval(o, facts, plan, hash);
  const undo = (attempt: number): Wanted => wanted(o, { command: 'undo', number, attempt, planHash: hash });
  return last ? again(o, facts, last, last.attempt + 1, () => undo(last.attempt + 1)) : undo(0);
};

/** Conditions before an undo writes: the PatrolSync has stepped aside and this object holds the site lock. */
const mayWrite = (o: RollbackObserved, facts: RollbackFacts, job: Wanted): Made | undefined => {
  if (!writes(job.command) || o.secretProblem !== undefined) return undefined;
  if (!o.sync?.stepsAside)
    return waitDecision(facts, 'WaitSync', working('WaitSync', 'The PatrolSync has to end what it does first'), waitMs);
  return acquireSiteLock(o, facts, job);
};

const idle = (o: RollbackObserved, facts: RollbackFacts): Made => {
  if (!o.sync)
    return waitDecision(
      facts,
      'WaitSync',
      stalled('SyncMissing', `PatrolSync ${o.spec.syncRef.name} does not exist; create it, or delete this object`),
    );
  const left = orphanJob(o);
  if (o.spec.suspend)
    return left
      ? doing(facts, left)
      : waitDecision(
          facts,
          'Suspended',
          settled(false, 'Suspended', 'Nothing is started: spec.suspend is true; set it to false to go on'),
        );
  const next = nextOf(o, facts);
  const unwanted = orphanJob(o, 'step' in next ? undefined : next.name);
  if (unwanted) return doing(facts, unwanted);
  if ('step' in next) return next;
  return mayWrite(o, facts, next) ?? doing(facts, ensureJob(o, next, 'The next Job is started'));
};

const decide = (o: RollbackObserved): Made => {
  const { conditions: _c, step: _s, observedGeneration: _g, ...facts } = o.status;
  const present = { generation: o.generation, run: '', inputs: rollbackInputs(o.spec) };
  const stale = (job: Wanted): boolean => !isMadeFor(job, present);
  const next = nextJobAction(o, facts.job, { stale, suspended: o.spec.suspend });
  if (next && 'step' in next) {
    const needsHold = next.step === 'ReleaseJob' || (next.step === 'WaitJob' && o.siteLock.free);
    return (needsHold && facts.job ? acquireSiteLock(o, facts, facts.job) : undefined) ?? doing(facts, next);
  }
  if (next) return ended(o, facts, next.job, next.summary);
  const decision = idle(o, facts);
  const job = decision.action?.kind === 'create' ? decision.action.job : decision.facts.job;
  if (!o.siteLock.mine || (job && writes(job.command))) return decision;
  return releaseSiteLock(facts);
};

/** Decides the next step of a PatrolSyncRollback from its observed state alone. An undo is safe to retry: it skips what is undone. */
export const decideRollback = (o: RollbackObserved): Made => {
  const decision = decide(o);
  const plan = currentPlan(o, decision.facts);
  return plan ? { ...decision, plan } : decision;
};
