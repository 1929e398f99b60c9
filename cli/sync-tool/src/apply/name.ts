import type { PlannedChange, RecordedChange } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';

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

const maxNamed = 5;

/** `plan_outdated`, naming the objects that are neither what the plan saw nor what it writes. */
export const planOutdated = (changes: readonly PlannedChange[]): RelayError => {
  const names = changes.slice(0, maxNamed).map(nameOfPlanned).join(', ');
  const more = changes.length > maxNamed ? ` and ${changes.length - maxNamed} more` : '';
  return new RelayError('plan_outdated', { details: { objects: `${names}${more}` } });
};
