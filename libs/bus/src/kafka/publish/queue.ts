import type { RelayError } from '@ranger-relay/errors';
import type { OutgoingRecord } from '../../port.ts';
import { batchOverhead, recordSize } from '../wire/record-batch.ts';

/** One call of publish. It ends once: when all of its entries are stored, or when one cannot be stored. */
export interface Call {
  readonly topic: string;
  /** Deadline of the caller, ms from the start of the call. */
  readonly deadlineMs: number;
  /** Number of entries that are not stored yet. */
  left: number;
  /** Number of records that are stored. */
  stored: number;
  /** Deadline on the monotonic clock, ms. */
  readonly deadline: number;
  /** True once a broker may have received records of the call, so that they may be stored without an acknowledgement. */
  sent: boolean;
  over: boolean;
  /** Why no broker has received it so far. */
  problem?: RelayError;
  readonly done: () => void;
  readonly fail: (error: RelayError) => void;
}

/** Records of one call for one partition, in order. */
export interface Entry {
  readonly call: Call;
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly OutgoingRecord[];
  readonly bytes: number;
}

/** Maximum size of a batch of one partition; brokers refuse batches over 1 MiB by default. */
export const batchLimit = { records: 500, bytes: 900_000 };

/** Waiting entries of one partition, in the order in which they must be stored. */
export interface PartitionQueue {
  readonly topic: string;
  readonly partition: number;
  entries: Entry[];
  /** True while a batch is in flight: the next one waits, so that a failed batch keeps its place. */
  busy: boolean;
  /** Maximum bytes of a batch; lowered after the broker refused one as too large. */
  limit: number;
}

/** Splits records, in order, into pieces that fit into a batch of `limit` bytes; a larger record forms its own piece. */
export const cut = (
  records: readonly OutgoingRecord[],
  limit: number,
): { readonly records: OutgoingRecord[]; readonly bytes: number }[] => {
  const pieces: { records: OutgoingRecord[]; bytes: number }[] = [];
  for (const record of records) {
    const bytes = recordSize(record);
    let piece = pieces.at(-1);
    if (!piece || piece.records.length >= batchLimit.records || piece.bytes + bytes > limit) {
      piece = { records: [], bytes: batchOverhead };
      pieces.push(piece);
    }
    piece.records.push(record);
    piece.bytes += bytes;
  }
  return pieces;
};

/** Splits an entry that exceeds the broker's limit; its call then waits for every piece. */
export const fitting = (entry: Entry, limit: number): Entry[] => {
  if (entry.bytes <= limit || entry.records.length === 1) return [entry];
  const { call, topic, partition } = entry;
  const pieces = cut(entry.records, limit).map(({ records, bytes }) => ({ call, topic, partition, records, bytes }));
  entry.call.left += pieces.length - 1;
  return pieces;
};

/** Removes the next batch from a queue: at least one entry, within both bounds; drops entries of ended calls. */
export const takeBatch = (queue: PartitionQueue): Entry[] => {
  const batch: Entry[] = [];
  let records = 0;
  let bytes = 0;
  let taken = 0;
  for (const entry of queue.entries) {
    if (!entry.call.over) {
      const full = records + entry.records.length > batchLimit.records || bytes + entry.bytes > queue.limit;
      if (batch.length > 0 && full) break;
      batch.push(entry);
      records += entry.records.length;
      bytes += entry.bytes;
    }
    taken += 1;
  }
  queue.entries.splice(0, taken);
  return batch;
};

/** Returns an unsent batch to its place in the queue. */
export const putBack = (queue: PartitionQueue, batch: readonly Entry[]): void => {
  queue.entries.unshift(...batch.filter(({ call }) => !call.over));
};

/** Drops entries of ended calls. */
export const tidy = (queue: PartitionQueue): void => {
  if (queue.entries.some(({ call }) => call.over)) queue.entries = queue.entries.filter(({ call }) => !call.over);
};

/** Marks an entry as stored; the last entry of a call ends it. */
export const stored = ({ call, records }: Entry): void => {
  call.left -= 1;
  call.stored += records.length;
  if (call.over || call.left > 0) return;
  call.over = true;
  call.done();
};

/** Ends a call with an error, unless it has ended. */
export const failed = (call: Call, error: RelayError): void => {
  if (call.over) return;
  call.over = true;
  call.fail(error);
};
