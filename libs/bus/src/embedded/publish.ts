import { RelayError, toRelayError } from '@ranger-relay/errors';
import type { Clock, MetricName, Metrics } from '@ranger-relay/runtime';
import type { SqliteFile, SqlValue, SqlWrite } from '@ranger-relay/sqlite';
import { type Bus, checkSize, type OutgoingRecord } from '../port.ts';
import { insertRecord, insertRecords, rowsPerInsert } from './schema.ts';
import { slotOf, type StoredTopic, type Topics } from './topics.ts';
import type { RecordNotifier } from './record-notifier.ts';

export interface PublishDependencies {
  readonly file: SqliteFile;
  readonly topics: Topics;
  readonly notifier: RecordNotifier;
  readonly clock: Clock;
  readonly metrics: Metrics<MetricName>;
}

const defaultDeadlineMs = 4_000;

/** Copies a view of a larger buffer, because the whole buffer would be sent to the worker. */
const own = (value: string | Uint8Array): string | Uint8Array =>
  typeof value === 'string' || value.byteLength === value.buffer.byteLength ? value : new Uint8Array(value);

const rowOf = (topic: StoredTopic, record: OutgoingRecord, at: number): readonly SqlValue[] => {
  checkSize(topic.spec, record);
  const headers = record.headers ? JSON.stringify(record.headers) : null;
  return [slotOf(topic, record.key), at, record.key, headers, own(record.value)];
};

/** The rows in order; a statement inserts many of them. */
const unitOf = (rows: readonly (readonly SqlValue[])[]): readonly SqlWrite[] => {
  const grouped = rows.length - (rows.length % rowsPerInsert);
  if (grouped === 0) return [{ sql: insertRecord, params: rows }];
  const groups: SqlValue[][] = [];
  for (let start = 0; start < grouped; start += rowsPerInsert)
    groups.push(rows.slice(start, start + rowsPerInsert).flat());
  return [
    { sql: insertRecords, params: groups },
    { sql: insertRecord, params: rows.slice(grouped) },
  ];
};

const unavailable = (error: unknown, topic: string, ms: number): RelayError => {
  const failure = toRelayError(error);
  if (failure.code === 'deadline_exceeded')
    return new RelayError('deadline_exceeded', {
      details: { what: `Publishing to ${topic}`, ms },
      cause: failure,
      ambiguous: true,
    });
  return new RelayError('bus_unavailable', { details: { reason: failure.message }, cause: failure });
};

/** Creates `publish`. One call is one transaction, durable when it resolves. */
export const createPublish =
  ({ file, topics, notifier, clock, metrics }: PublishDependencies): Bus['publish'] =>
  async (name, records, { deadlineMs = defaultDeadlineMs } = {}) => {
    const topic = topics.get(name);
    if (records.length === 0) return;
    const at = clock.now();
    const started = clock.monotonic();
    const params = records.map((record) => rowOf(topic, record, at));
    try {
      await file.write(unitOf(params), { deadlineMs });
    } catch (error) {
      throw unavailable(error, name, deadlineMs);
    }
    metrics.observe('relay_bus_publish_seconds', (clock.monotonic() - started) / 1_000, { topic: name });
    notifier.published(new Set(params.map(([slot]) => slot as number)));
  };
