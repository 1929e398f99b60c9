import { z } from 'zod';
import { pullFields } from '../pull/pull-fields.ts';

const slugs = (what: string) =>
  z
    .array(z.string().min(1).max(200))
    .max(1_000)
    .default([])
    .meta({ title: `Event ${what}`, description: `Slugs of ${what} to pull; all when empty.` });

/** Settings of the action `pull_events` (platform contract, site pull actions). */
export const pullEventsConfig = z.object({
  ...pullFields,
  filter_date_field: z.enum(['updated_at', 'created_at', 'event_time']).default('updated_at').meta({
    title: 'Date that counts',
    description: 'By created_at or event_time, changes of older events are not seen.',
  }),
  event_types: slugs('types'),
  event_categories: slugs('categories'),
  include_attachments: z.boolean().default(false).meta({
    title: 'Include attachments',
    description: 'Also takes over files of at most 20 MB.',
  }),
});

export type PullEventsConfig = z.output<typeof pullEventsConfig>;
