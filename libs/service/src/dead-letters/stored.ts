import type { BusRecord } from '@ranger-relay/bus';
import { deadLetterSchema, type DeadLetter } from '@ranger-relay/contracts';
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
