import { z } from 'zod';
import { pullFields } from '../pull/pull-fields.ts';

const mostGroups = 1_000;

/** Settings of the action `pull_observations`. */
export const pullObservationsConfig = z.object({
  ...pullFields,
  subject_group_ids: z.array(z.guid()).max(mostGroups).default([]).meta({
    title: 'Subject groups',
    description: 'Ids of the groups whose sources are pulled, their subgroups included; empty: all sources.',
  }),
  subwindow_days: z.int().min(1).default(1).meta({
    title: 'Days of one part',
    description: 'A pull is cut into parts of so many days; each is finished before the next one begins.',
  }),
  continue_immediately: z.boolean().default(false).meta({
    title: 'Continue immediately',
    description: 'A run that cannot finish in its time is followed by the next at once, not by the schedule.',
  }),
});

export type PullObservationsConfig = z.output<typeof pullObservationsConfig>;
