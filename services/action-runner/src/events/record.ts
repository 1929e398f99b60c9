import type { ActionState, StateValue } from '@ranger-relay/actions';
import type { EventItem } from '@ranger-relay/platform';
import { z } from 'zod';
import { noticePrefix } from '../pull/notices.ts';
import type { SiteEvent } from './site-event.ts';

/** State of a known event: what the platform has of it (platform contract, `pull_events`). */
export interface EventRecord {
  /** Null while the event is being posted, and for an event that the platform refused. */
  readonly object_id: string | null;
  /** The site's `updated_at` when the event was fully transferred; null while something is left. */
  readonly updated_at: string | null;
  /** Null, as for `priority` and `title`, when it is unknown: never sent, or its change was sent and not answered yet. */
  readonly state: string | null;
  readonly priority: number | null;
  readonly title: string | null;
  readonly seen_note_ids: readonly string[];
  readonly seen_file_ids: readonly string[];
  /** The exact item being posted. After a crash the same item is posted again, so that the platform drops it if it has it already. */
  readonly posting?: EventItem | undefined;
  /** True while an earlier post may have reached the platform: it drops a repeat, and answers with an id that it does not know. */
  readonly unsure?: boolean | undefined;
  /** True once the platform has accepted a change under `object_id`; an id that it does not know from then on is of an event deleted there. */
  readonly confirmed?: boolean | undefined;
  /** Number of times that the event was posted as new, when more than once. */
  readonly attempt?: number | undefined;
}

/** The members of an event whose last value must stand at the platform, with their names there (platform contract, `pull_events`). */
export const platformNames = { state: 'status', priority: 'priority', title: 'title' } as const;

export type EventMember = keyof typeof platformNames;

/** The members in sending order. */
export const eventMembers = Object.keys(platformNames) as readonly EventMember[];

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
  confirmed: z.boolean().optional().catch(undefined),
  attempt: z.number().int().optional().catch(undefined),
});

const yearMs = 365 * 86_400_000;

/** State source of the events that the platform fails on. */
export const failingSource = 'failing-events';

/** State source of an event's record. The prefix keeps site ids apart from the pull's own entries. */
const sourceOf = (id: string): string =>
  id.startsWith(noticePrefix) || id.startsWith('%') || id === failingSource ? `%${id}` : id;

/** Loads the record of an event; undefined when the event is unknown. @throws RelayError of the state */
export const loadRecord = async (state: ActionState, id: string): Promise<EventRecord | undefined> => {
  const value = await state.get(sourceOf(id));
  return Object.keys(value).length === 0 ? undefined : recordSchema.parse(value);
};

/** Saves a record for a year, over the one that is stored: a write that the store executes late must not undo a later one. @throws RelayError of the state */
export const saveRecord = async (state: ActionState, id: string, record: EventRecord): Promise<EventRecord> => {
  await state.update(() => record as unknown as StateValue, { source: sourceOf(id), ttlMs: yearMs });
  return record;
};

/** The record of an event whose first post says what `posting` says; notes and files follow. */
export const firstRecord = (event: SiteEvent, posting: EventItem): EventRecord => ({
  object_id: null,
  updated_at: null,
  state: event.state,
  priority: event.priority,
  title: event.title,
  seen_note_ids: [],
  seen_file_ids: [],
  posting,
});

/** Whether the event is fully transferred. */
export const isCurrent = (record: EventRecord, event: SiteEvent): boolean =>
  record.posting === undefined && record.updated_at !== null && record.updated_at === event.updatedAt;
