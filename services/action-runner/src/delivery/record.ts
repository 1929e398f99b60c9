import type { ActionState, StateValue } from '@ranger-relay/actions';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import { z } from 'zod';
import { readInstant } from '../mapping/instant.ts';
import type { SiteEvent } from '../mapping/site-event.ts';
import { openOwnedState } from '../owned-state.ts';

/** What the platform has of an event (platform contract, `pull_events`). */
export interface EventRecord {
  /** The platform's id; null until an answer has named it. */
  readonly object_id: string | null;
  /** The site's `updated_at` of the version that was handled: it is at the platform, or the rest of it in a dead letter. */
  readonly updated_at: string | null;
  /** When the pull read that version. */
  readonly received_at: string | null;
  /** Null, as for `priority` and `title`, when it is unknown: never accepted, or its change was sent and not answered yet. */
  readonly state: string | null;
  readonly priority: number | null;
  readonly title: string | null;
  readonly seen_note_ids: readonly string[];
  readonly seen_file_ids: readonly string[];
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
  received_at: nullable(z.string()),
  state: nullable(z.string()),
  priority: nullable(z.number()),
  title: nullable(z.string()),
  seen_note_ids: ids,
  seen_file_ids: ids,
});

const yearMs = 365 * 86_400_000;

/** Under this name the state of an integration holds the records of its events, by event id. */
export const recordsName = 'site_events';

/** The record of one event, held by the process that sends the event. */
export interface OpenRecord {
  value(): EventRecord;
  /**
   * Saves the record for a year, unless another process has changed it: then the event has another owner by now. Waits for an unavailable
   * store until the event may have another owner, because what the platform has accepted and the record does not say is sent twice.
   * @throws RelayError of the state; the reason of its signal
   */
  save(next: EventRecord): Promise<void>;
}

/**
 * Loads the record of an event.
 * @param state that of the records
 * @param onUnavailable called each time that the store has not answered a save within its retries
 * @throws RelayError of the state
 */
export const openRecord = async (
  state: Pick<ActionState, 'get' | 'update'>,
  id: string,
  onUnavailable: (error: RelayError) => void,
): Promise<OpenRecord> => {
  const owned = await openOwnedState(state, { source: id, ttlMs: yearMs });
  let value: EventRecord = recordSchema.parse(owned.first);
  const isSaved = async (next: EventRecord): Promise<boolean> => {
    for (;;) {
      try {
        return await owned.save(next as unknown as StateValue);
      } catch (error) {
        if (!isRelayError(error, 'kv_unavailable')) throw error;
        onUnavailable(error);
      }
    }
  };
  return {
    value: () => value,
    async save(next) {
      if (!(await isSaved(next)))
        throw new RelayError('kv_unavailable', { details: { reason: 'another process sends the event' } });
      value = next;
    },
  };
};

/** Whether this version of the event was handled. */
export const isHandled = (record: EventRecord, { updatedAt }: Pick<SiteEvent, 'updatedAt'>): boolean =>
  record.updated_at !== null && record.updated_at === updatedAt;

/** Whether the record of a handled version is to be saved again: the pulls show the last event of an idle site for years. */
export const isAging = (
  record: EventRecord,
  { updatedAt }: Pick<SiteEvent, 'updatedAt'>,
  receivedAt: string,
): boolean =>
  isHandled(record, { updatedAt }) && Date.parse(receivedAt) - (readInstant(record.received_at) ?? 0) > yearMs / 2;

/** Whether a later version was handled. What the site takes back from a backup is older too, but was read later. */
export const isOutdated = (
  record: EventRecord,
  { updatedAt }: Pick<SiteEvent, 'updatedAt'>,
  receivedAt: string,
): boolean => {
  const [before, now] = [readInstant(record.updated_at), readInstant(updatedAt)];
  const isOlder = before !== undefined && now !== undefined && now < before;
  return isOlder && (record.received_at === null || receivedAt <= record.received_at);
};
