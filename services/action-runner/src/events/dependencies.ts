import type { ActionContext } from '@ranger-relay/actions';
import type { SiteReader } from '@ranger-relay/site';
import { z } from 'zod';
import { pullFields } from '../pull/open-pull.ts';
import type { PublishEvents } from './publish.ts';

const slugs = (what: string) =>
  z
    .array(z.string().min(1).max(200))
    .max(1_000)
    .default([])
    .meta({ title: `Event ${what}`, description: `Slugs of ${what} to pull; all when empty.` });

/** Settings of the action `pull_events` (platform contract, site pull actions). */
export const pullEventsConfig = z.object({
  ...pullFields,
  filter_date_field: z
    .enum(['updated_at', 'created_at', 'event_time'])
    .default('updated_at')
    .meta({
      title: 'Date that counts',
      labels: { updated_at: 'Last change', created_at: 'Creation', event_time: 'Time of the event' },
      description: 'By created_at or event_time, changes of older events are not seen.',
    }),
  event_types: slugs('types'),
  event_categories: slugs('categories'),
  include_attachments: z.boolean().default(false).meta({
    title: 'Include attachments',
    description: 'Also copies files of at most 20 MB.',
  }),
});

export type PullEventsConfig = z.output<typeof pullEventsConfig>;

/** Dependencies of a pull of events. */
export interface PullEventsDependencies extends Pick<
  ActionContext,
  'state' | 'feed' | 'log' | 'clock' | 'signal' | 'timeUsed'
> {
  readonly integrationId: string;
  readonly config: PullEventsConfig;
  readonly site: Pick<SiteReader, 'root' | 'page' | 'pages'>;
  /** How far a listing starts before its watermark, and before the event date of late reports, ms. */
  readonly overlapMs: number;
  readonly lateMs: number;
  readonly publish: PublishEvents;
}
