import { type BusRecord, replayedLetter } from '@ranger-relay/bus';
import { type SiteEventRecord, siteEventSchema } from '@ranger-relay/contracts';
import { parseExactJson, RelayError } from '@ranger-relay/errors';
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

const decoder = new TextDecoder('utf-8', { fatal: true });

const parse = ({ value, topic }: BusRecord): unknown => {
  try {
    return parseExactJson(decoder.decode(value));
  } catch {
    throw new RelayError('record_unreadable', { details: { topic, problem: 'not JSON' } });
  }
};

/** @throws RelayError `record_newer` when a newer version of this program wrote the record; `record_unreadable` */
export const readVersion = (record: BusRecord): Version => {
  const { topic, headers } = record;
  const value = parse(record);
  const { data, error } = siteEventSchema.safeParse(value);
  const event = data && readEvent(data.row);
  if (event) return { ...data, record, event, isReplay: replayedLetter(headers) !== undefined };
  const { v: version } = Object(value) as { readonly v?: unknown };
  if (Number.isSafeInteger(version) && Number(version) > 1)
    throw new RelayError('record_newer', { details: { topic, version: Number(version) } });
  const problem = `${error?.issues[0]?.path.join('.') ?? 'row'} does not fit`;
  throw new RelayError('record_unreadable', { details: { topic, problem } });
};
