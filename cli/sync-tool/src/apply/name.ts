import type { PlannedChange } from '@ranger-relay/contracts';

/** Names the object of a planned change for people. */
export const nameOfPlanned = (change: PlannedChange): string => {
  switch (change.kind) {
    case 'patrol_type':
      return `patrol type ${change.value}`;
    case 'universal_patrol_fields':
      return 'universal patrol fields';
    case 'choice':
      return `choice ${change.field} ${change.value}`;
    case 'subject':
      return `subject ${change.action === 'created' ? change.written.name : change.name}`;
    case 'roster':
      return `roster group ${change.group_name}`;
  }
};
