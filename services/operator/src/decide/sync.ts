import type { SyncSummary } from '@ranger-relay/contracts';
import { cutText } from '@ranger-relay/errors';
import type { JobStatus } from '../api/run-status.ts';
import type { SyncFacts } from '../api/sync-status.ts';
import { type Decision, settled, waitDecision, type Wanted, working } from './decision.ts';
import { nextJobAction, type JobStep, orphanJob, ensureJob, writes } from './job-lifecycle.ts';
import { checklistOf, inputsOf, planOf, runOf } from './ends.ts';
import type { SyncObserved } from './observed.ts';
import { acquireSiteLock, releaseSiteLock } from './site-lock.ts';
import { type Next, nextOf } from './sync-next.ts';
import { askAgain, currentPlan, factsOf, folderOf, isCurrent, presentOf, restOf } from './sync-parts.ts';

const checked = (facts: SyncFacts, job: JobStatus, now: number, summary: SyncSummary | undefined): SyncFacts => {
  const differences = summary?.outcome === 'done' ? 0 : summary?.counts.differences;
  const unknown = summary?.message ?? `Job ${job.name} ended without a message`;
  return {
    ...facts,
    drift: {
      generation: job.generation,
      ...inputsOf(job),
      run: job.run,
      number: job.command === 'verify' ? job.number : (facts.drift?.number ?? 0),
      ...(differences === undefined ? { message: cutText(unknown, 300) } : { differences }),
      ...(summary?.bundle ? { bundle: summary.bundle } : {}),
      ...(summary?.verdict ? { verdict: cutText(summary.verdict, 300) } : {}),
      ...(facts.lastRun ? { lastRun: facts.lastRun.job } : {}),
      checkedAt: new Date(now).toISOString(),
    },
  };
};

const planned = (o: SyncObserved, facts: SyncFacts, job: JobStatus, summary: SyncSummary | undefined): SyncFacts => {
  const folder = folderOf(o, facts, job);
  const path = `${folder}/plan.json`;
  const plan = planOf(job, summary, { now: o.now, path, before: facts.plan });
  return { ...facts, plans: Math.max(facts.plans ?? 0, job.number), plan };
};

const ran = (o: SyncObserved, facts: SyncFacts, job: JobStatus, summary: SyncSummary | undefined): SyncFacts => {
  const lastRun = runOf(job, summary, { now: o.now, folder: folderOf(o, facts, job), before: facts.lastRun });
  const { plan } = facts;
  const outdated = lastRun.reason === 'plan_outdated' && lastRun.record === undefined && plan?.number === job.number;
  return { ...facts, lastRun, ...(plan && outdated ? { plan: { ...plan, outdated } } : {}) };
};

/** Records the end of a `prune` Job; a failed prune does not block other work. */
const pruned = (facts: SyncFacts, job: JobStatus, summary: SyncSummary | undefined): SyncFacts => {
  const tidied = { number: job.number, ...inputsOf(job) };
  if (summary?.outcome === 'done') return { ...facts, pruned: tidied };
  const message = cutText(summary?.message ?? `Job ${job.name} ended without a message`, 300);
  return { ...facts, pruned: { ...tidied, message } };
};

/** Facts after a Job ended: the result replaces the Job. */
const afterEnd = (o: SyncObserved, facts: SyncFacts, job: JobStatus, summary: SyncSummary | undefined): SyncFacts => {
  const { job: _, ...rest } = facts;
  const checklist = checklistOf(summary, folderOf(o, facts, job));
  const known = checklist ? { ...rest, checklist } : rest;
  if (job.command === 'plan') return planned(o, known, job, summary);
  if (job.command === 'prune') return pruned(known, job, summary);
  if (job.command === 'verify') return checked(known, job, o.now, summary);
  return ran(o, known, job, summary);
};

/** Facts with the Job recorded. A writing Job consumes the approval, so both are stored at once before the Job may start. */
const recorded = (o: SyncObserved, facts: SyncFacts, job: JobStatus): SyncFacts => {
  const value = o.spec.approve;
  if (job.command !== 'apply' || value === undefined || job.planHash === undefined) return { ...facts, job };
  const before = isCurrent(o, facts.approval) ? facts.approval.hashes : [];
  const hashes = [...new Set([...before, job.planHash])];
  return { ...facts, job, approval: { value, ...presentOf(o), hashes } };
};

/** Status while a Job runs. A ready object stays ready during a read-only Job, unless that Job is stuck. */
const doing = (
  o: SyncObserved,
  facts: SyncFacts,
  { record, ...found }: JobStep,
  command: Wanted['command'] | undefined,
): Decision<SyncFacts> => {
  const ready = command !== undefined && !writes(command) && (restOf(o, facts)?.ready ?? false);
  return {
    ...found,
    facts: record ? recorded(o, facts, record) : facts,
    status: { ...found.status, ready: ready && found.status.state !== 'stalled' },
  };
};

/** Lets rollbacks proceed one at a time; the PatrolSync applies nothing meanwhile, whatever is requested. */
const stepAside = (o: SyncObserved, facts: SyncFacts): Decision<SyncFacts> | undefined => {
  const wanting = o.rollbacks.filter(({ wants }) => wants);
  const through = wanting.find(({ uid }) => uid === facts.rolledBack?.uid);
  const { name, uid } = through ?? wanting[0] ?? {};
  if (name === undefined || uid === undefined) return undefined;
  const statusUpdate = working(
    'RolledBack',
    `PatrolSyncRollback ${name} takes runs back; nothing is applied meanwhile`,
  );
  if (through) return isCurrent(o, facts.rolledBack) ? undefined : waitDecision(facts, 'RolledBack', statusUpdate);
  const rolledBack = { name, uid, ...presentOf(o) };
  return { step: 'StepAside', facts: { ...facts, rolledBack }, status: statusUpdate };
};

/** Acquires the site lock for a writing Job whose Secret is there. */
const acquireLock = (o: SyncObserved, facts: SyncFacts, job: Wanted): Decision<SyncFacts> | undefined =>
  o.secretProblem === undefined ? acquireSiteLock(o, facts, job) : undefined;

/** Acquires a deleted Lease again: before a writing Job may start, and while it runs. */
const keepLock = (o: SyncObserved, facts: SyncFacts, { step }: JobStep): Decision<SyncFacts> | undefined => {
  const needed = step === 'ReleaseJob' || (step === 'WaitJob' && o.siteLock.free);
  return needed && facts.job ? acquireLock(o, facts, facts.job) : undefined;
};

const goOn = (o: SyncObserved, facts: SyncFacts, next: Next): Decision<SyncFacts> => {
  const left = orphanJob(o, 'job' in next ? next.job.name : undefined);
  if (left) return doing(o, facts, left, 'verify');
  if ('step' in next) return { ...next, facts };
  return acquireLock(o, facts, next.job) ?? doing(o, facts, ensureJob(o, next.job, next.why), next.job.command);
};

const needsLock = ({ step, action, facts }: Decision<SyncFacts>): boolean => {
  const job = action?.kind === 'create' ? action.job : facts.job;
  return step === 'AcquireSiteLock' || (job !== undefined && writes(job.command));
};

const idle = (o: SyncObserved, facts: SyncFacts): Decision<SyncFacts> => {
  const left = orphanJob(o);
  const aside = stepAside(o, facts);
  if (aside) return left && aside.step !== 'StepAside' ? doing(o, facts, left, undefined) : aside;
  if (isCurrent(o, facts.rolledBack)) {
    const text = `PatrolSyncRollback ${facts.rolledBack.name} takes runs back or did; nothing is applied until the spec changes, or ${askAgain(o)}`;
    return left
      ? doing(o, facts, left, undefined)
      : waitDecision(facts, 'RolledBack', settled(false, 'RolledBack', text));
  }
  if (o.spec.suspend) {
    const ready = restOf(o, facts)?.ready ?? false;
    const text = 'Nothing is started: spec.suspend is true; set it to false to go on';
    return left
      ? doing(o, facts, left, undefined)
      : waitDecision(facts, 'Suspended', settled(ready, 'Suspended', text));
  }
  return goOn(o, facts, nextOf(o, facts));
};

/** Whether a Job that has not started is stale: its approval was withdrawn or its inputs changed. */
const isStale = (o: SyncObserved, job: Wanted): boolean => {
  const wanted = isCurrent(o, job, job.command);
  const rolled = o.rollbacks.some(({ wants }) => wants);
  return !wanted || (rolled && writes(job.command));
};

const decide = (o: SyncObserved): Decision<SyncFacts> => {
  const facts = factsOf(o);
  const jobStep = nextJobAction(o, facts.job, { stale: (job) => isStale(o, job), suspended: o.spec.suspend });
  if (jobStep && 'step' in jobStep) return keepLock(o, facts, jobStep) ?? doing(o, facts, jobStep, facts.job?.command);
  if (jobStep) {
    const after = afterEnd(o, facts, jobStep.job, jobStep.summary);
    const rest = restOf(o, after);
    return {
      step: 'RecordEnd',
      facts: after,
      status: working('JobEnded', `Job ${jobStep.job.name} (${jobStep.job.command}) has ended`, rest?.ready),
    };
  }
  const decision = idle(o, facts);
  if (!o.siteLock.mine || needsLock(decision)) return decision;
  return releaseSiteLock(facts, restOf(o, facts)?.ready ?? false);
};

/**
 * Decides the next step of a PatrolSync from its observed state alone: at most one call, and the resulting facts. A plan is applied
 * at most once, whatever happened before and however often this runs.
 */
export const decideSync = (o: SyncObserved): Decision<SyncFacts> => {
  const decision = decide(o);
  const plan = currentPlan(o, decision.facts);
  return plan ? { ...decision, plan } : decision;
};
