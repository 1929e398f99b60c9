import type { ActionState, StateValue } from '@ranger-relay/actions';
import { z } from 'zod';
import { noticePrefix } from '../pull/notices.ts';
import type { SiteEvent } from './site-event.ts';

/** State of a known event: what the platform has of it (platform contract, `pull_events`). */
export interface EventRecord {
  /** Null for an event that may have been posted, without a known answer, or that the platform refused; then `updated_at` is set. */
  readonly object_id: string | null;
  /** The site's `updated_at` when the event was fully transferred; null while something is left. */
  readonly updated_at: string | null;
  /** Null, as for `priority` and `title`, when it is unknown: never sent, or its change was sent and not answered yet. */
  readonly state: string | null;
  readonly priority: number | null;
  readonly title: string | null;
  readonly seen_note_ids: readonly string[];
  readonly seen_file_ids: readonly string[];
  /**
   * True once `object_id` is known to be of an event; if the platform does not know it from then on, the event was deleted there. An id from
   * an answer may be of none: the platform drops what equals an earlier post, and gives it an id all the same.
   */
  readonly confirmed?: boolean | undefined;
  /** Number in the item being posted anew, because the platform dropped an equal one; an interrupted post is repeated with it. */
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

/** Whether an earlier run may have posted the event without learning the answer. */
export const mayBePosted = ({ object_id: id, updated_at: version }: EventRecord): boolean =>
  id === null && version === null;

/** The record of an event of which the platform has what an item says, and nothing else. */
export const postedRecord = (event: Pick<SiteEvent, EventMember>): EventRecord => ({
  object_id: null,
  updated_at: null,
  state: event.state,
  priority: event.priority,
  title: event.title,
  seen_note_ids: [],
  seen_file_ids: [],
});

/** Whether the event is fully transferred. */
export const isCurrent = (record: EventRecord, event: SiteEvent): boolean =>
  record.updated_at !== null && record.updated_at === event.updatedAt;
