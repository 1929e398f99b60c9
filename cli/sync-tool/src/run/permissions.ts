import type { SyncStep } from '@ranger-relay/contracts';

/** What a step needs the token to be allowed (site contract, 8). */
export const permissionsOf: Readonly<Record<SyncStep, string>> = {
  patrol_types: 'activity.view_patroltype, activity.add_patroltype and activity.change_patroltype',
  universal_patrol_fields: 'to write the patrol form (universal patrol fields)',
  choices: 'choices.view_choice, choices.add_choice and choices.change_choice',
  subjects:
    'observations.view_subject, observations.add_subject, observations.change_subject, and view on the default subject group',
  roster: 'observations.change_subjectgroup, and view on the group and on the patrol configuration',
};
