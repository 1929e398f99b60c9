import type { EventItem } from '@ranger-relay/platform';
import { namesOffset, readInstant } from '../mapping/instant.ts';
import type { SiteEvent } from '../mapping/site-event.ts';

/** Where an event comes from. */
export interface EventOrigin {
  /** Scheme, host and port of the site. */
  readonly site: string;
  /** Display name of its type. */
  readonly typeName?: string | undefined;
}

const filled = (members: Readonly<Record<string, unknown>>): EventItem =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));

/** The time as the site wrote it; a time without an offset is UTC and is written as such. */
const timeOf = ({ time, createdAt }: SiteEvent): string | undefined => {
  for (const text of [time, createdAt]) {
    const at = readInstant(text);
    if (text !== null && at !== undefined) return namesOffset(text) ? text.trim() : new Date(at).toISOString();
  }
  return undefined;
};

/**
 * Maps an event to the platform's form (platform contract, `pull_events`). Missing members are left out, because the platform refuses null.
 * Undefined for an event without a time.
 */
export const itemOf = (event: SiteEvent, { site, typeName }: EventOrigin): EventItem | undefined => {
  const recordedAt = timeOf(event);
  if (recordedAt === undefined) return undefined;
  const { type } = event;
  return filled({
    title: event.title ?? typeName ?? type,
    event_type: type,
    source: type,
    recorded_at: recordedAt,
    location: event.location,
    geometry: event.geometry,
    event_details: event.details,
    status: event.state,
    priority: event.priority,
    provider_metadata: filled({
      source_event_url: `${site}/events/${encodeURIComponent(event.id)}`,
      serial_number: event.serial,
    }),
  });
};

/** An item that the platform cannot take for a repeat of an earlier post of the event, whose answer may be lost. */
export const asAttempt = (item: EventItem, attempt: number): EventItem => ({
  ...item,
  provider_metadata: { ...(item['provider_metadata'] as EventItem | undefined), delivery_attempt: attempt },
});
