import type { Bus, OutgoingRecord } from '@ranger-relay/bus';
import { RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';

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

/**
 * Stores all records of a topic, chunk after chunk, so that records of one key keep their order.
 * @param deadline moment of the clock's monotonic time by which all must be stored
 * @throws RelayError of the bus, `deadline_exceeded`; what was stored before stays stored
 */
export const publishAll = async (
  bus: Bus,
  topic: string,
  records: readonly OutgoingRecord[],
  { clock, deadline }: { clock: Clock; deadline: number },
): Promise<void> => {
  for (const chunk of chunksOf(records)) {
    const deadlineMs = Math.floor(deadline - clock.monotonic());
    if (deadlineMs <= 0) throw new RelayError('deadline_exceeded', { details: { what: 'storing the events', ms: 0 } });
    await bus.publish(topic, chunk, { deadlineMs });
  }
};
