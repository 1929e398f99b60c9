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
 * Most deactivations that nobody has to allow: a fifth of the active subjects that this tool made for the area, never less than five.
 * @param active how many there are
 */
export const defaultMaxDeactivations = (active: number): number => Math.max(5, Math.floor(active / 5));

/** Somebody would no longer be shown; the second subject of an employee who is shown by another one does not count. */
const hides = (change: PlannedChange): boolean =>
  change.kind === 'subject' &&
  change.action === 'updated' &&
  change.reason !== undefined &&
  change.reason !== 'duplicate';

/** `too_many_deactivations` when these changes are not allowed. */
export const deactivationsRefused = (changes: readonly PlannedChange[], limit: number): RelayError | undefined => {
  const planned = changes.filter(hides).length;
  return planned > limit ? new RelayError('too_many_deactivations', { details: { planned, limit } }) : undefined;
};

/** @throws RelayError `too_many_deactivations` */
export const guardDeactivations = (changes: readonly PlannedChange[], limit: number): void => {
  const refusal = deactivationsRefused(changes, limit);
  if (refusal) throw refusal;
};

/** Failures after which nothing else will work, nothing can be written down, or nobody knows what is going on: the run ends. */
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

/** A record that the site refuses is one record's failure; everything else will not be better with the next record. */
export const endsStep = (error: RelayError): boolean =>
  !isRelayError(error, 'site_refused', 'site_conflict', 'site_not_found');

/** What a step is called for people. */
export const stepNames: Readonly<Record<SyncStep, string>> = {
  patrol_types: 'Patrol types',
  universal_patrol_fields: 'Patrol fields',
  choices: 'Choices',
  subjects: 'Subjects',
  roster: 'Roster',
};

/** What a step needs the token to be allowed (site contract, 8). */
export const permissionsOf: Readonly<Record<SyncStep, string>> = {
  patrol_types: 'activity.view_patroltype, activity.add_patroltype and activity.change_patroltype',
  universal_patrol_fields: 'to write the patrol form (universal patrol fields)',
  choices: 'choices.view_choice, choices.add_choice and choices.change_choice',
  subjects:
    'observations.view_subject, observations.add_subject, observations.change_subject, and view on the default subject group',
  roster: 'observations.change_subjectgroup, and view on the group and on the patrol configuration',
};

export type Tally = Readonly<Record<SyncStep, SyncStepCount>>;

/** Under which count a change goes. */
export const countOf = (change: PlannedChange): 'created' | 'updated' | 'deactivated' => {
  if (change.kind === 'subject' && change.action === 'updated' && change.reason !== undefined) return 'deactivated';
  if (change.kind === 'universal_patrol_fields') return change.before === null ? 'created' : 'updated';
  return change.action === 'updated' ? 'updated' : 'created';
};

/** Counts that begin with what the plan leaves unchanged. */
export const newTally = ({ steps }: Pick<SyncPlan, 'steps'>): Tally =>
  Object.fromEntries(
    syncSteps.map((step) => [
      step,
      { created: 0, updated: 0, deactivated: 0, unchanged: steps[step]?.unchanged ?? 0, failed: 0, not_tried: 0 },
    ]),
  ) as unknown as Tally;

/** How many objects a change is about: each subject that joins the roster is one. */
export const weightOf = (change: PlannedChange): number => (change.kind === 'roster' ? change.subjects.length : 1);

/** Counts what was planned and not begun, so that every planned object is accounted for. */
export const countNotTried = (tally: Tally, { steps, changes }: Pick<SyncPlan, 'steps' | 'changes'>): void => {
  for (const step of syncSteps) {
    const count = tally[step];
    const planned = changes.filter((change) => stepOf(change) === step).reduce((sum, each) => sum + weightOf(each), 0);
    const found = count.unchanged - (steps[step]?.unchanged ?? 0);
    const done = count.created + count.updated + count.deactivated + count.failed + found;
    count.not_tried = Math.max(0, planned - done);
  }
};

/** Counts of a plan of which nothing was begun. */
export const untriedTally = (plan: SyncPlan): Tally => {
  const tally = newTally(plan);
  countNotTried(tally, plan);
  return tally;
};

/** Counts of a plan that is not carried out: as if all of it succeeded; nobody joins the roster in a dry run (spec, rule 9). */
export const plannedTally = (plan: SyncPlan): Tally => {
  const tally = newTally(plan);
  for (const change of plan.changes) if (change.kind !== 'roster') tally[stepOf(change)][countOf(change)] += 1;
  return tally;
};
