import type { BusRecord } from '@ranger-relay/bus';
import { activityEventSchema, type ActivityEvent } from '@ranger-relay/contracts';
import { z } from 'zod';

/** An entry of the activity log as it is read: its type may be one of a newer version. */
export type ActivityEntry = Omit<ActivityEvent, 'event_type'> & { readonly event_type: string };

/** An entry with its time, ms since 1970. */
export interface TimedEntry {
  readonly at: number;
  readonly entry: ActivityEntry;
}

const entrySchema = activityEventSchema.extend({ event_type: z.string() });

/** The entry in a record; null when it is none to this version. An entry without a readable time takes the record's. */
export const readEntry = (record: BusRecord): TimedEntry | null => {
  try {
    const entry = entrySchema.parse(JSON.parse(Buffer.from(record.value).toString('utf8')));
    const at = Date.parse(entry.timestamp);
    return { at: Number.isNaN(at) ? record.timestamp : at, entry };
  } catch {
    return null;
  }
};
