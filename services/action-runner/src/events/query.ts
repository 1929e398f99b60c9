import type { PullEventsConfig } from './config.ts';
import type { Chosen } from './choose.ts';
import type { Window } from './window.ts';

const dateKey: Readonly<Record<PullEventsConfig['filter_date_field'], string>> = {
  updated_at: 'update_date',
  created_at: 'create_date',
  event_time: 'date_range',
};

const iso = (ms: number): string => new Date(ms).toISOString();

/** Parameters of the site's list of events (platform contract, site pull actions). */
export const eventsQuery = (
  { filter_date_field: field, include_attachments: files }: PullEventsConfig,
  { lower, upper }: Window,
  { typeIds, categoryIds }: Chosen,
): Readonly<Record<string, string>> => {
  const filter = {
    [dateKey[field]]: { lower: iso(lower), ...(upper === undefined ? {} : { upper: iso(upper) }) },
    ...(typeIds.length > 0 ? { event_type: typeIds } : {}),
    ...(categoryIds.length > 0 ? { event_category: categoryIds } : {}),
  };
  return {
    filter: JSON.stringify(filter),
    page_size: '100',
    include_notes: 'true',
    include_files: String(files),
    use_cursor: 'true',
  };
};
