import type { SyncStep } from '@ranger-relay/contracts';

/** What a step is called for people. */
export const stepNames: Readonly<Record<SyncStep, string>> = {
  patrol_types: 'Patrol types',
  universal_patrol_fields: 'Patrol fields',
  choices: 'Choices',
  subjects: 'Subjects',
  roster: 'Roster',
};
