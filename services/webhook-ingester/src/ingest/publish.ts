import type { Bus, OutgoingRecord } from '@ranger-relay/bus';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';

const sosCodes: ReadonlySet<unknown> = new Set([4, 6, 7, '4', '6', '7']);

/** Whether an event of a body, readable or not, says by its code that it is an emergency. */
export const isSos = (event: unknown): boolean =>
  typeof event === 'object' && event !== null && 'messageCode' in event && sosCodes.has(event.messageCode);

/** What became of the events of one body, as the activity log and the metrics count it. */
export interface Counts {
  observations: number;
  messages: number;
  skipped_no_fix: number;
  skipped_no_time: number;
  test_events: number;
  not_wanted: number;
  rejected: number;
}

/** Nothing counted yet. */
export const noCounts = (): Counts => ({
  observations: 0,
  messages: 0,
  skipped_no_fix: 0,
  skipped_no_time: 0,
  test_events: 0,
  not_wanted: 0,
  rejected: 0,
});

/** Values of the label `outcome` of `relay_webhook_events_total`. */
export const outcomes: readonly (readonly [keyof Counts, string])[] = [
  ['observations', 'observation'],
  ['messages', 'message'],
  ['skipped_no_fix', 'skipped_no_fix'],
  ['skipped_no_time', 'skipped_no_time'],
  ['test_events', 'test_events'],
  ['not_wanted', 'counted'],
  ['rejected', 'rejected'],
];

/** Most bytes of values in one call of the bus. */
export const chunkBytes = 512_000;

/** Splits records into runs of at most `limit` bytes of values, in order; a larger record stands alone. */
export const chunksOf = (records: readonly OutgoingRecord[], limit = chunkBytes): OutgoingRecord[][] => {
  const chunks: OutgoingRecord[][] = [];
  let size = Infinity;
  for (const record of records) {
    const bytes = Buffer.byteLength(record.value);
    if (size + bytes > limit) {
      chunks.push([]);
      size = 0;
    }
    chunks.at(-1)?.push(record);
    size += bytes;
  }
  return chunks;
};

/** Takes a record that its topic finds too large; rejects when nothing takes it. */
export type TakeTooLarge = (record: OutgoingRecord, deadlineMs: number) => Promise<void>;

/** Until when all must be stored. */
interface PublishUntil {
  readonly clock: Clock;
  /** Moment of the clock's monotonic time. */
  readonly deadline: number;
  /** Without it a record that is too large is the caller's failure. */
  readonly tooLarge?: TakeTooLarge;
}

/**
 * Stores all records of a topic, chunk after chunk, so that records of one key keep their order.
 * @throws RelayError of the bus, `deadline_exceeded`; what was stored before stays stored
 */
export const publishAll = async (
  bus: Bus,
  topic: string,
  records: readonly OutgoingRecord[],
  { clock, deadline, tooLarge }: PublishUntil,
): Promise<void> => {
  const left = (): number => {
    const deadlineMs = Math.floor(deadline - clock.monotonic());
    if (deadlineMs <= 0) throw new RelayError('deadline_exceeded', { details: { what: 'storing the events', ms: 0 } });
    return deadlineMs;
  };
  const publish = async (chunk: readonly OutgoingRecord[]): Promise<void> => {
    try {
      await bus.publish(topic, chunk, { deadlineMs: left() });
    } catch (error) {
      const [first] = chunk;
      if (!first || !tooLarge || !isRelayError(error, 'record_too_large')) throw error;
      if (chunk.length === 1) await tooLarge(first, left());
      else for (const record of chunk) await publish([record]);
    }
  };
  for (const chunk of chunksOf(records)) await publish(chunk);
};
