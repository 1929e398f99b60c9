import { runAnnotation } from '../api/group.ts';
import type { Command, PlanStatus, RunStatus } from '../api/run-status.ts';
import { checkIntervalMs } from '../api/sync-spec.ts';
import type { SyncFacts, SyncStatus } from '../api/sync-status.ts';
import { type StatusUpdate, settled, type Wanted } from './decision.ts';
import { isMadeFor, type MadeFor, syncInputs } from './inputs.ts';
import { planFolder } from './names.ts';
import type { SyncObserved } from './observed.ts';
import { dueAfter } from './retry.ts';

/** Delay before a failed check is repeated, ms. */
const checkAgainMs = 600_000;

/** Whether, according to the current plan and run, everything that the spec requests is written. */
export const isApplied = (o: SyncObserved, facts: SyncFacts): boolean =>
  currentPlan(o, facts)?.hash !== undefined && currentRun(o, facts)?.outcome === 'done';

/** Last comparison, if it is for the current spec and later than the last run. */
const checkOf = (o: SyncObserved, facts: SyncFacts): SyncFacts['drift'] => {
  const { drift } = facts;
  if (!isCurrent(o, drift)) return undefined;
  const run = currentRun(o, facts);
  return run && drift.lastRun !== run.job ? undefined : drift;
};

/** When the next check of the site is due, ms since 1970; undefined for never. */
export const checkDueAt = (o: SyncObserved, facts: SyncFacts): number | undefined => {
  const check = checkOf(o, facts);
  if (!check) return o.now;
  const everyMs = checkIntervalMs(o.spec);
  if (check.message !== undefined)
    return dueAfter(check.checkedAt, everyMs === 0 ? checkAgainMs : Math.min(everyMs, checkAgainMs), o.now);
  return everyMs === 0 ? undefined : dueAfter(check.checkedAt, everyMs, o.now);
};

const openItems = ({ checklist }: SyncFacts): string =>
  checklist && checklist.openItems > 0
    ? `; ${checklist.openItems} open items for a person, see status.checklist and ${checklist.path}`
    : '';

const isOtherBundle = ({ bundle }: NonNullable<SyncFacts['drift']>, { plan }: SyncFacts): boolean =>
  bundle !== undefined && plan?.bundle !== undefined && bundle !== plan.bundle;

const appliedSay = (o: SyncObserved, facts: SyncFacts): StatusUpdate | undefined => {
  const drift = checkOf(o, facts);
  if (!drift) return undefined;
  if (drift.message !== undefined)
    return settled(
      false,
      'CheckFailed',
      `The site could not be compared with the bundle: ${drift.message}; the operator tries again`,
    );
  if (drift.differences === 0) return settled(true, 'Applied', `The site matches the bundle${openItems(facts)}`);
  if (isOtherBundle(drift, facts))
    return settled(
      false,
      'BundleChanged',
      `The bundle has changed since the last plan, and ${drift.differences} objects of the site differ from it; the operator writes nothing without a new plan. For a new plan: ${askAgain(o)}`,
    );
  return settled(
    false,
    'DriftFound',
    `${drift.differences} objects of the site differ from the bundle; the operator writes nothing without a new plan. For a new plan: ${askAgain(o)}`,
  );
};

const plannedSay = (o: SyncObserved, facts: SyncFacts): StatusUpdate | undefined => {
  const plan = currentPlan(o, facts);
  if (plan?.hash === undefined) return undefined;
  if (plan.writes === 0) return settled(true, 'Planned', 'The site matches the bundle');
  return settled(
    true,
    'Planned',
    `Plan ${plan.hash} would write ${plan.writes} objects and deactivate ${plan.peopleDeactivated} people; read ${plan.path}. To write it set mode: apply, then ${askApproval(o, plan.hash)}`,
  );
};

/** Status when no work is left; undefined while work is due. */
export const restOf = (o: SyncObserved, facts: SyncFacts): StatusUpdate | undefined => {
  if (o.spec.mode === 'plan') return plannedSay(o, facts);
  return isApplied(o, facts) ? appliedSay(o, facts) : undefined;
};

/** Whether something was made for the current spec and run annotation. */
export const isCurrent = <T extends MadeFor>(
  { generation, run, spec }: SyncObserved,
  made: T | undefined,
  command: Command = 'plan',
): made is T => made !== undefined && isMadeFor(made, { generation, run, inputs: syncInputs(spec, command) });

/** Inputs that new plans, runs and checks are made for. */
export const presentOf = ({ generation, run, spec }: SyncObserved) => ({
  generation,
  run,
  inputs: syncInputs(spec, 'plan'),
});

/** Facts of the status without conditions, step and generation; a withdrawn approval can be given again. */
export const factsOf = (o: SyncObserved): SyncFacts => {
  const { conditions: _c, step: _s, observedGeneration: _g, approval, ...facts } = o.status satisfies SyncStatus;
  return { ...facts, ...(approval && approval.value === o.spec.approve ? { approval } : {}) };
};

/** Valid plan for the current spec, if there is one. */
export const currentPlan = (o: SyncObserved, { plan }: SyncFacts): PlanStatus | undefined =>
  isCurrent(o, plan) && plan.outdated !== true ? plan : undefined;

/** Run that applies the current plan. */
export const currentRun = (o: SyncObserved, facts: SyncFacts): RunStatus | undefined =>
  facts.lastRun?.number === currentPlan(o, facts)?.number ? facts.lastRun : undefined;

/** Folder of a Job on the output volume: the folder of its plan; a check uses the current plan. */
export const folderOf = (
  { name, uid }: Pick<SyncObserved, 'name' | 'uid'>,
  { plan }: Pick<SyncFacts, 'plan'>,
  { command, number }: Wanted,
): string => planFolder(name, uid, command === 'verify' ? (plan?.number ?? 0) : number);

/** Instructions for requesting another run. */
export const askAgain = (o: SyncObserved): string =>
  `kubectl annotate patrolsync ${o.name} -n ${o.namespace} ${runAnnotation}="$(date +%s)" --overwrite`;

/** Instructions for approving a plan. */
export const askApproval = (o: SyncObserved, hash: string): string =>
  `kubectl patch patrolsync ${o.name} -n ${o.namespace} --type=merge -p '{"spec":{"approve":"${hash}"}}'`;
