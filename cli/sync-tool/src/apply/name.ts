import type { PlannedChange, RecordedChange } from '@ranger-relay/contracts';

type Definition = 'patrol_type' | 'universal_patrol_fields' | 'choice';

/** Names a part of the data model for people: what has no members. */
export const nameOfDefinition = (change: Extract<PlannedChange | RecordedChange, { kind: Definition }>): string => {
  switch (change.kind) {
    case 'patrol_type':
      return `patrol type ${change.value}`;
    case 'universal_patrol_fields':
      return 'universal patrol fields';
    case 'choice':
      return `choice ${change.field} ${change.value}`;
  }
};

/** Names the object of a planned change for people. */
export const nameOfPlanned = (change: PlannedChange): string => {
  switch (change.kind) {
    case 'subject':
      return `subject ${change.action === 'created' ? change.written.name : change.name}`;
    case 'roster':
      return `roster group ${change.group_name}`;
    default:
      return nameOfDefinition(change);
  }
};
