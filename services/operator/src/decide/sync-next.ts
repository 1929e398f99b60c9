import type { PlanStatus, RunStatus } from '../api/run-status.ts';
import { checkIntervalMs } from '../api/sync-spec.ts';
import type { SyncFacts } from '../api/sync-status.ts';
import { approval, type Decision, type StatusUpdate, stalled, type Wanted, working } from './decision.ts';
import { why } from './ends.ts';
import { syncInputs } from './inputs.ts';
import { jobName } from './names.ts';
import type { SyncObserved } from './observed.ts';
import { dueAfter, retryAt } from './retry.ts';
import type { StepName } from './steps.ts';
import {
  askAgain,
  askApproval,
  checkDueAt,
  currentPlan,
  currentRun,
  isApplied,
  isCurrent,
  restOf,
} from './sync-parts.ts';

/** The object wants a Job or waits. */
export type Next =
  { readonly job: Wanted; readonly why: string } | Omit<Decision<unknown>, 'facts' | 'plan' | 'action'>;

/** Maximum number of plans applied for one spec and run with `auto`: a site that keeps changing needs a person. */
const maxPlans = 5;

const wait = (step: StepName, status: StatusUpdate, requeueAfterMs?: number): Next => ({
  step,
  status,
  ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }),
});

/** Builds a Job for the current spec. Its name is deterministic, so that the same request twice yields one Job. */
const wanted = (
  o: SyncObserved,
  job: Pick<Wanted, 'command' | 'number'> & Partial<Wanted>,
  ...more: readonly (string | number)[]
): Wanted => {
  const { command, number } = job;
  const inputs = syncInputs(o.spec, command);
  const name = jobName(o.name, command, o.uid, inputs, o.run, number, ...more);
  return { attempt: 0, ...job, name, generation: o.generation, run: o.run, inputs };
};

const ensurePlan = (o: SyncObserved, { plans = 0 }: SyncFacts, why: string): Next => {
  return { job: wanted(o, { command: 'plan', number: plans + 1 }), why };
};

const ensureApply = (o: SyncObserved, { number }: PlanStatus, hash: string): Next => {
  const job = wanted(o, { command: 'apply', number, planHash: hash }, hash);
  return { job, why: `Plan ${hash} is applied` };
};

const ensureResume = (o: SyncObserved, last: RunStatus): Next => {
  const attempt = last.attempt + 1;
  const planHash = last.planHash ?? '';
  const job = wanted(o, { command: 'resume', number: last.number, attempt, planHash }, planHash, attempt);
  return { job, why: `The run of Job ${last.job} did not finish and is resumed` };
};

const ensureVerify = (o: SyncObserved, facts: SyncFacts): Next => {
  const number = (facts.drift?.number ?? 0) + 1;
  return { job: wanted(o, { command: 'verify', number }), why: 'The site is compared with the bundle' };
};

const ensurePrune = (o: SyncObserved, { number }: PlanStatus): Next => ({
  job: wanted(o, { command: 'prune', number }),
  why: 'Older runs are deleted from the output volume',
});

/** Whether a prune is due: once after each plan, and after the retention count changed, when more runs may exist than are kept. */
const isPruneDue = ({ spec }: SyncObserved, { pruned }: SyncFacts, { number }: PlanStatus): boolean => {
  if (spec.keepRuns === undefined || number <= spec.keepRuns) return false;
  const inputs = syncInputs(spec, 'prune');
  return (pruned?.number ?? 0) < number || (pruned?.inputs ?? inputs) !== inputs;
};

const afterFailedPlan = (o: SyncObserved, facts: SyncFacts, plan: PlanStatus): Next => {
  const hopeless = plan.outcome === 'usage' || plan.tries > o.spec.retries;
  if (hopeless)
    return wait('Stalled', stalled('PlanFailed', `Planning failed: ${why(plan)}. Fix the cause, then ${askAgain(o)}`));
  const at = retryAt(plan.endedAt, plan.tries, o.now);
  if (o.now < at)
    return wait(
      'WaitRetry',
      working('PlanFailed', `Planning failed: ${why(plan)}; the operator tries again`),
      at - o.now,
    );
  return ensurePlan(o, facts, 'The plan is tried again');
};

const afterFailedRun = (o: SyncObserved, last: RunStatus): Next => {
  const where = last.record ?? last.folder;
  if (last.nothingWritten)
    return wait(
      'Stalled',
      stalled(
        'NothingWritten',
        `The run ended before its first write: ${why(last)}. Fix the cause, then ${askAgain(o)}`,
      ),
    );
  if (last.outcome === 'usage' || last.attempt >= o.spec.retries)
    return wait(
      'Stalled',
      stalled(
        'RunFailed',
        `The run is incomplete: ${why(last)}. Its writes are recorded in ${where}. Fix the cause, then ${askAgain(o)} plans the rest; a PatrolSyncRollback undoes the run`,
      ),
    );
  const at = retryAt(last.endedAt, last.attempt + 1, o.now);
  if (o.now < at)
    return wait(
      'WaitRetry',
      working('RunFailed', `The run is incomplete: ${why(last)}; the operator resumes it from ${where}`),
      at - o.now,
    );
  return ensureResume(o, last);
};

const outlook = ({ writes, peopleDeactivated, path }: PlanStatus): string =>
  `it writes ${writes} objects and deactivates ${peopleDeactivated} people; read ${path}`;

/** Why the plan may not be applied; undefined when it may. One without writes is applied too: its record tells what the area relies on. */
const refusal = (o: SyncObserved, { approval: used }: SyncFacts, plan: PlanStatus, hash: string): Next | undefined => {
  const { approve, maxDeactivations } = o.spec;
  if (plan.writes === 0) return undefined;
  if (maxDeactivations !== undefined && plan.peopleDeactivated > maxDeactivations)
    return wait(
      'Stalled',
      stalled(
        'TooManyDeactivations',
        `Plan ${hash} would deactivate ${plan.peopleDeactivated} people, and spec.maxDeactivations is ${maxDeactivations}: read ${plan.path}, then fix the bundle or raise the limit`,
      ),
    );
  const ask = (reason: string, text: string): Next => wait('WaitApproval', approval(reason, text));
  if (approve === undefined)
    return ask(
      'ApprovalRequired',
      `Plan ${hash} waits for approval: ${outlook(plan)}. To approve: ${askApproval(o, hash)}`,
    );
  if (approve !== 'auto') {
    if (approve !== hash)
      return ask(
        'OtherPlanApproved',
        `The approved plan is not the current plan ${hash}: ${outlook(plan)}. To approve it: ${askApproval(o, hash)}`,
      );
    if (used)
      return ask(
        'ApprovalUsed',
        `The approval of plan ${hash} was used. To approve it again, remove spec.approve, then set it again: ${askApproval(o, hash)}`,
      );
    return undefined;
  }
  const mine = used && isCurrent(o, used) ? used.hashes : [];
  if (mine.includes(hash) || mine.length >= maxPlans)
    return wait(
      'Stalled',
      stalled(
        'ApprovalUsed',
        `The operator no longer applies plan ${hash} after ${mine.length} attempts: find out what changes the site, then ${askAgain(o)}`,
      ),
    );
  return undefined;
};

const isRenewalDue = (o: SyncObserved, plan: PlanStatus): number | undefined => {
  const everyMs = o.spec.mode === 'plan' ? checkIntervalMs(o.spec) : 0;
  return everyMs === 0 ? undefined : dueAfter(plan.endedAt, everyMs, o.now);
};

interface Rest {
  readonly plan: PlanStatus;
  readonly status: StatusUpdate;
  readonly dueAt: number | undefined;
  readonly due: () => Next;
}

const atRest = (o: SyncObserved, facts: SyncFacts, { plan, status, dueAt, due }: Rest): Next => {
  if (dueAt !== undefined && dueAt <= o.now) return due();
  if (status.ready && isPruneDue(o, facts, plan)) return ensurePrune(o, plan);
  return wait('Idle', status, dueAt === undefined ? undefined : dueAt - o.now);
};

/** What the object needs next when no Job is running. Pure: the same observation yields the same result. */
export const nextOf = (o: SyncObserved, facts: SyncFacts): Next => {
  const plan = currentPlan(o, facts);
  if (!plan)
    return ensurePlan(
      o,
      facts,
      facts.plan?.outdated ? 'The site has changed since the plan: a new plan is made' : 'A plan is made',
    );
  const { hash } = plan;
  if (plan.outcome !== 'done' || hash === undefined) return afterFailedPlan(o, facts, plan);
  if (o.spec.mode === 'plan') {
    const status = restOf(o, facts) as StatusUpdate;
    const due = (): Next => ensurePlan(o, facts, 'The plan is renewed');
    return atRest(o, facts, { plan, status, dueAt: isRenewalDue(o, plan), due });
  }
  if (isApplied(o, facts)) {
    const status = restOf(o, facts) ?? working('Checking', 'The site is compared with the bundle');
    return atRest(o, facts, { plan, status, dueAt: checkDueAt(o, facts), due: () => ensureVerify(o, facts) });
  }
  const last = currentRun(o, facts);
  if (last) return afterFailedRun(o, last);
  return refusal(o, facts, plan, hash) ?? ensureApply(o, plan, hash);
};
