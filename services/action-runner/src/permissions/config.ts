import { z } from 'zod';

/** Settings of the action `show_permissions`. */
export const showPermissionsConfig = z.object({
  include_subjects_from_subgroups_in_parent: z.boolean().default(true).meta({
    title: 'Subjects of subgroups in their parent',
    description: 'Lists a group with the subjects of its subgroups too.',
  }),
});

export type ShowPermissionsConfig = z.output<typeof showPermissionsConfig>;
