import {
  type PlannedChange,
  stepOf,
  type SyncPlan,
  type SyncStep,
  type SyncStepCount,
  syncSteps,
} from '@ranger-relay/contracts';
import { isRelayError, RelayError } from '@ranger-relay/errors';

/**
 * Default limit of deactivations without explicit permission: a fifth of the active subjects that this tool created for the area, but at
 * least five.
 * @param active number of those subjects
 */
export const defaultMaxDeactivations = (active: number): number => Math.max(5, Math.floor(active / 5));

/** Whether the change hides an employee; deactivating a duplicate subject of an employee does not count. */
const hides = (change: PlannedChange): boolean =>
  change.kind === 'subject' &&
  change.action === 'updated' &&
  change.reason !== undefined &&
  change.reason !== 'duplicate';

/** Returns `too_many_deactivations` when the changes exceed the limit. */
export const deactivationsRefused = (changes: readonly PlannedChange[], limit: number): RelayError | undefined => {
  const planned = changes.filter(hides).length;
  return planned > limit ? new RelayError('too_many_deactivations', { details: { planned, limit } }) : undefined;
};

/** @throws RelayError `too_many_deactivations` */
export const guardDeactivations = (changes: readonly PlannedChange[], limit: number): void => {
  const refusal = deactivationsRefused(changes, limit);
  if (refusal) throw refusal;
};

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

/** Display names of the steps. */
export const stepNames: Readonly<Record<SyncStep, string>> = {
  patrol_types: 'Patrol types',
  universal_patrol_fields: 'Patrol fields',
  choices: 'Choices',
  subjects: 'Subjects',
  roster: 'Roster',
};

/** The permissions that the token needs for each step (site contract, 8). */
export const permissionsOf: Readonly<Record<SyncStep, string>> = {
  patrol_types: 'activity.view_patroltype, activity.add_patroltype and activity.change_patroltype',
  universal_patrol_fields: 'to write the patrol form (universal patrol fields)',
  choices: 'choices.view_choice, choices.add_choice and choices.change_choice',
  subjects:
    'observations.view_subject, observations.add_subject, observations.change_subject, and view on the default subject group',
  roster: 'observations.change_subjectgroup, and view on the group and on the patrol configuration',
};

export type Tally = Readonly<Record<SyncStep, SyncStepCount>>;

/** The counter to which a change adds. */
export const countOf = (change: PlannedChange): 'created' | 'updated' | 'deactivated' => {
  if (change.kind === 'subject' && change.action === 'updated' && change.reason !== undefined) return 'deactivated';
  if (change.kind === 'universal_patrol_fields') return change.before === null ? 'created' : 'updated';
  return change.action === 'updated' ? 'updated' : 'created';
};

/** Creates the counters; `unchanged` starts with the number of objects that the plan leaves unchanged. */
export const newTally = ({ steps }: Pick<SyncPlan, 'steps'>): Tally =>
  Object.fromEntries(
    syncSteps.map((step) => [
      step,
      { created: 0, updated: 0, deactivated: 0, unchanged: steps[step]?.unchanged ?? 0, failed: 0, not_tried: 0 },
    ]),
  ) as unknown as Tally;

/** How many objects a change covers: a roster change counts each subject that it adds. */
export const weightOf = (change: PlannedChange): number => (change.kind === 'roster' ? change.subjects.length : 1);

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
