import type { PlannedChange, SyncPlan } from '@ranger-relay/contracts';
import { plural, type Paint } from '@ranger-relay/terminal';
import { resourceOf, type ChangeOf } from '../resources/index.ts';
import { quoted } from '../resources/object.ts';
import { isDeactivation } from '../resources/subject.ts';

const reasons = {
  login: 'a login that never went on a patrol',
  not_planned: 'neither employed nor on a patrol',
  not_in_bundle: 'no longer in the bundle',
  duplicate: 'another subject stands for the same employee',
} as const;

const isLeaving = (change: PlannedChange): change is ChangeOf<'subject'> =>
  change.kind === 'subject' && isDeactivation(change);

/** Formats a plan as a readable diff; deactivated people are listed separately, with the reason. */
export const describePlan = ({ changes, steps, logins_left_out, hash }: SyncPlan, paint: Paint): string[] => {
  const leaving = changes.filter(isLeaving).filter(isDeactivation);
  const unchanged = Object.values(steps).reduce((sum, step) => sum + step.unchanged, 0);
  return [
    ...changes.filter((change) => !isLeaving(change)).flatMap((change) => resourceOf(change).describe(change, paint)),
    ...(leaving.length > 0 ? ['', 'People who would be deactivated:'] : []),
    ...leaving.map(({ name, reason }) => `${paint.red('-')} subject ${quoted(name)}: ${reasons[reason]}`),
    '',
    `${plural(changes.length, 'write')}, ${unchanged} unchanged, ${plural(logins_left_out, 'login')} left out. Plan ${hash}`,
  ];
};
