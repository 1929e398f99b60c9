import { sourceEventSchema, type SourceEvent } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import type { BusRecord } from '@ranger-relay/bus';

/** A record with the event it holds. */
export interface Item {
  readonly record: BusRecord;
  readonly event: SourceEvent;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

const unreadable = (record: BusRecord, problem: string): RelayError =>
  new RelayError('record_unreadable', { details: { topic: record.topic, problem } });

const parse = (record: BusRecord): unknown => {
  try {
    return JSON.parse(decoder.decode(record.value));
  } catch {
    throw unreadable(record, 'not JSON');
  }
};

const versionOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'v' in value ? value.v : undefined;

/**
 * Reads the event of a record.
 * @throws RelayError `record_unreadable` when it is not JSON, not a SourceEvent, or of another version
 */
export const readItem = (record: BusRecord): Item => {
  const value = parse(record);
  const parsed = sourceEventSchema.safeParse(value);
  if (parsed.success) return { record, event: parsed.data };
  const version = versionOf(value);
  if (version !== undefined && version !== 1)
    throw unreadable(record, `version ${JSON.stringify(version).slice(0, 20)}`);
  const where = parsed.error.issues[0]?.path.join('.') ?? '';
  throw unreadable(record, `${where || 'the value'} does not fit`);
};
