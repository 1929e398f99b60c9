import {
  type PlannedChange,
  stepOf,
  type SyncPlan,
  type SyncStep,
  type SyncStepCount,
  syncSteps,
} from '@ranger-relay/contracts';
import { isRelayError, type RelayError } from '@ranger-relay/errors';
import { type Counter, resourceOf } from '../resources/index.ts';

/** Whether a failure ends the run: no later write can succeed, nothing can be recorded, or the cause is unknown. */
export const endsRun = (error: RelayError): boolean =>
  isRelayError(
    error,
    'site_unauthorized',
    'site_redirected',
    'site_untrusted',
    'plan_outdated',
    'output_not_writable',
    'internal',
  );

/** Whether a failure ends the step. A refusal, a conflict or a missing object concerns one record; any other failure would repeat. */
export const endsStep = (error: RelayError): boolean =>
  !isRelayError(error, 'site_refused', 'site_conflict', 'site_not_found');

export type Tally = Readonly<Record<SyncStep, SyncStepCount>>;

/** The counter to which a change adds. */
export const countOf = (change: PlannedChange): Counter =>
  resourceOf(change).counter?.(change) ?? (change.action === 'updated' ? 'updated' : 'created');

/** Creates the counters; `unchanged` starts with the number of objects that the plan leaves unchanged. */
export const newTally = ({ steps }: Pick<SyncPlan, 'steps'>): Tally =>
  Object.fromEntries(
    syncSteps.map((step) => [
      step,
      { created: 0, updated: 0, deactivated: 0, unchanged: steps[step]?.unchanged ?? 0, failed: 0, not_tried: 0 },
    ]),
  ) as unknown as Tally;

/** How many objects a change covers. */
export const weightOf = (change: PlannedChange): number => resourceOf(change).weight?.(change) ?? 1;

/** Counts the planned objects that the run did not start, so that every planned object is counted. */
export const countNotTried = (tally: Tally, { steps, changes }: Pick<SyncPlan, 'steps' | 'changes'>): void => {
  for (const step of syncSteps) {
    const count = tally[step];
    const planned = changes.filter((change) => stepOf(change) === step).reduce((sum, each) => sum + weightOf(each), 0);
    const found = count.unchanged - (steps[step]?.unchanged ?? 0);
    const done = count.created + count.updated + count.deactivated + count.failed + found;
    count.not_tried = Math.max(0, planned - done);
  }
};

/** Counters of a plan that the run has not started. */
export const untriedTally = (plan: SyncPlan): Tally => {
  const tally = newTally(plan);
  countNotTried(tally, plan);
  return tally;
};

/** Counters of a dry run, as if every change succeeded; a dry run adds no subjects to the roster (spec, rule 9). */
export const plannedTally = (plan: SyncPlan): Tally => {
  const tally = newTally(plan);
  for (const change of plan.changes) if (change.kind !== 'roster') tally[stepOf(change)][countOf(change)] += 1;
  return tally;
};
