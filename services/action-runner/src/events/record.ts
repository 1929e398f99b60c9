import type { ActionState, StateValue } from '@ranger-relay/actions';
import type { EventItem } from '@ranger-relay/platform';
import { z } from 'zod';
import { noticePrefix } from '../pull/notices.ts';
import type { SiteEvent } from './site-event.ts';

/** What is known of an event that was met before (platform contract, `pull_events`): what the platform has of it. */
export interface EventRecord {
  /** Null while it is being posted, and for an event that the platform refused. */
  readonly object_id: string | null;
  /** Of the site when all of it was taken over; null while something is left. */
  readonly updated_at: string | null;
  readonly state: string | null;
  readonly priority: number | null;
  readonly title: string | null;
  readonly seen_note_ids: readonly string[];
  readonly seen_file_ids: readonly string[];
  /** The very event that is being posted: after a kill exactly this is posted again, so that the platform drops it when it has it. */
  readonly posting?: EventItem | undefined;
  /** The platform may have dropped the post as a repeat, and then does not know `object_id`; until a change was taken under it. */
  readonly unsure?: boolean | undefined;
  /** How often it was posted as something new, when more than once. */
  readonly attempt?: number | undefined;
}

const nullable = <T>(schema: z.ZodType<T>) => schema.nullable().catch(null);
const ids = z.array(z.string()).catch([]);

const recordSchema = z.looseObject({
  object_id: nullable(z.string().min(1)),
  updated_at: nullable(z.string()),
  state: nullable(z.string()),
  priority: nullable(z.number()),
  title: nullable(z.string()),
  seen_note_ids: ids,
  seen_file_ids: ids,
  posting: z.record(z.string(), z.unknown()).optional().catch(undefined),
  unsure: z.boolean().optional().catch(undefined),
  attempt: z.number().int().optional().catch(undefined),
});

const yearMs = 365 * 86_400_000;

/** Where the pull keeps what the platform fails on. */
export const failingSource = 'failing-events';

/** Where the record of an event lies: no id of a site meets what the pull keeps of itself. */
const sourceOf = (id: string): string =>
  id.startsWith(noticePrefix) || id.startsWith('%') || id === failingSource ? `%${id}` : id;

/** The record of an event; undefined for one that was never seen. @throws RelayError of the state */
export const loadRecord = async (state: ActionState, id: string): Promise<EventRecord | undefined> => {
  const value = await state.get(sourceOf(id));
  return Object.keys(value).length === 0 ? undefined : recordSchema.parse(value);
};

/** Keeps a record for a year. @throws RelayError of the state */
export const saveRecord = async (state: ActionState, id: string, record: EventRecord): Promise<EventRecord> => {
  await state.set(record as unknown as StateValue, { source: sourceOf(id), ttlMs: yearMs });
  return record;
};

/** The record of an event that is about to be posted for the first time: all its notes count as seen. */
export const firstRecord = (event: SiteEvent, posting: EventItem): EventRecord => ({
  object_id: null,
  updated_at: null,
  state: event.state,
  priority: event.priority,
  title: event.title,
  seen_note_ids: event.notes.map(({ id }) => id),
  seen_file_ids: [],
  posting,
});

/** Nothing of the event is left to be taken over. */
export const isCurrent = (record: EventRecord, event: SiteEvent): boolean =>
  record.posting === undefined && record.updated_at !== null && record.updated_at === event.updatedAt;
