import type { Bus, BusRecord } from '@ranger-relay/bus';
import { deadLetterSchema, topics, type DeadLetter } from '@ranger-relay/contracts';
import { z } from 'zod';

/** A dead letter as it is read: its kind may be one of a newer version. */
export type StoredLetter = Omit<DeadLetter, 'kind'> & { readonly kind: string };

const storedLetterSchema = deadLetterSchema.extend({ kind: z.string() });

/** The letter in a record of the dead-letters topic; null when there is none to this version. */
export const readLetter = (record: Pick<BusRecord, 'value'>): StoredLetter | null => {
  try {
    return storedLetterSchema.safeParse(JSON.parse(Buffer.from(record.value).toString('utf8'))).data ?? null;
  } catch {
    return null;
  }
};

/**
 * Reads the dead letters that came since the last reading.
 * @param offsets where each partition was read up to; moved on with each record
 * @returns each record with its letter, null for one that is none to this version @throws RelayError of the bus
 */
export const lettersSince = async function* (
  bus: Pick<Bus, 'read'>,
  offsets: Map<number, bigint>,
): AsyncGenerator<{ readonly record: BusRecord; readonly letter: StoredLetter | null }> {
  for await (const record of bus.read({ topic: topics.deadLetters.name, offsets: new Map(offsets) })) {
    offsets.set(record.partition, record.offset + 1n);
    yield { record, letter: readLetter(record) };
  }
};
