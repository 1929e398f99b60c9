import type { PlannedChange, SyncPlan } from '@ranger-relay/contracts';
import { plural, type Paint } from '@ranger-relay/terminal';
import { resourceOf } from '../resources/index.ts';
import { describeUpdate, quoted } from '../resources/object.ts';
import { isDeactivation } from '../resources/subject.ts';

const reasons = {
  login: 'a login that never went on a patrol',
  not_planned: 'neither employed nor on a patrol',
  not_in_bundle: 'no longer in the bundle',
  duplicate: 'another subject stands for the same employee',
  other_word: 'in the bundle, but found under another word than that of this run',
} as const;

/** Names the people whom a plan makes inactive, with the reason; no line where there are none. */
export const deactivationLines = (changes: readonly PlannedChange[], paint: Paint): string[] => {
  const leaving = changes.filter(isDeactivation);
  if (leaving.length === 0) return [];
  const lines = leaving.map((change) => {
    const { additional, name } = change.before;
    const more = additional === undefined && name === undefined ? '' : `; ${describeUpdate(change)}`;
    const reason = change.reason ? reasons[change.reason] : 'inactive in the bundle';
    return `${paint.red('-')} subject ${quoted(change.name)}: ${reason}${more}`;
  });
  return [`People to deactivate (${leaving.length}):`, ...lines, ''];
};

/** Formats a plan as a readable diff; deactivated people are listed separately, with the reason. */
export const describePlan = ({ changes, steps, logins_left_out, hash }: SyncPlan, paint: Paint): string[] => {
  const unchanged = Object.values(steps).reduce((sum, step) => sum + step.unchanged, 0);
  return [
    ...changes
      .filter((change) => !isDeactivation(change))
      .flatMap((change) => resourceOf(change).describe(change, paint)),
    '',
    ...deactivationLines(changes, paint),
    `${plural(changes.length, 'write')}, ${unchanged} unchanged, ${plural(logins_left_out, 'login')} left out. Plan ${hash}`,
  ];
};
