import { lowerBound, pageParameters } from '../pull/position.ts';
import type { PullEventsConfig } from './dependencies.ts';
import type { Chosen } from './choose.ts';
import type { EventsAsk } from './plan.ts';

/** Path of the site's list of events. */
export const eventsPath = 'activity/events';

const dateKey: Readonly<Record<PullEventsConfig['filter_date_field'], string>> = {
  updated_at: 'update_date',
  created_at: 'create_date',
  event_time: 'date_range',
};

/** Parameters of the site's list of events (platform contract, site pull actions). */
export const eventsQuery = (
  { filter_date_field: field, include_attachments: files }: PullEventsConfig,
  { lower, upper, sorted }: Pick<EventsAsk, 'lower' | 'upper' | 'sorted'>,
  { typeIds, categoryIds }: Chosen,
): Readonly<Record<string, string>> => {
  const bounds = {
    lower: lowerBound(lower),
    ...(Number.isFinite(upper) ? { upper: new Date(upper).toISOString() } : {}),
  };
  const filter = {
    [dateKey[field]]: bounds,
    ...(typeIds.length > 0 ? { event_type: typeIds } : {}),
    ...(categoryIds.length > 0 ? { event_category: categoryIds } : {}),
  };
  return {
    filter: JSON.stringify(filter),
    ...(sorted ? { sort_by: field } : {}),
    include_notes: 'true',
    include_files: String(files),
    ...pageParameters(lower, upper),
  };
};
