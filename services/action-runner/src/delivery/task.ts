import { type BusRecord, replayedLetter } from '@ranger-relay/bus';
import { readRecord, type SiteEventRecord, siteEventSchema } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { readEvent, type SiteEvent } from '../mapping/site-event.ts';
import type { OpenRecord } from './record.ts';

/** A version of an event that is on the bus. */
export interface Version extends Pick<SiteEventRecord, 'site' | 'type_name' | 'with_files' | 'received_at'> {
  readonly record: BusRecord;
  readonly event: SiteEvent;
  /** True for a dead letter that is sent again. */
  readonly isReplay: boolean;
}

/** A version that is being sent. */
export interface Task extends Version {
  /** What the platform has of the event. */
  readonly stored: OpenRecord;
}

/** @throws RelayError `record_newer` when a newer version of this program wrote the record; `record_unreadable` */
export const readVersion = (record: BusRecord): Version => {
  const { topic, headers } = record;
  const data = readRecord(record, siteEventSchema);
  const event = readEvent(data.row);
  if (!event) throw new RelayError('record_unreadable', { details: { topic, problem: 'row does not fit' } });
  return { ...data, record, event, isReplay: replayedLetter(headers) !== undefined };
};
