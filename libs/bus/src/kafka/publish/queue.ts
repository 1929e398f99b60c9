import type { RelayError } from '@ranger-relay/errors';
import type { OutgoingRecord } from '../../port.ts';
import { batchOverhead, recordSize } from '../wire/record-batch.ts';

/** One call of publish: it ends once, when all of its entries are stored or one cannot be. */
export interface Call {
  readonly topic: string;
  /** How long the caller waits in all, ms. */
  readonly deadlineMs: number;
  /** Entries that are not stored yet. */
  left: number;
  /** Monotonic time at which the caller stops waiting, ms. */
  readonly deadline: number;
  /** It was handed to a broker, so it may be stored although nobody said so. */
  sent: boolean;
  over: boolean;
  /** Why it could not be handed to a broker so far. */
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

/** Most that one batch of one partition holds; brokers refuse batches over 1 MiB by default. */
export const batchLimit = { records: 500, bytes: 900_000 };

/** Entries of one partition that wait, in the order in which they must be stored. */
export interface PartitionQueue {
  readonly topic: string;
  readonly partition: number;
  entries: Entry[];
  /** A batch of it is on its way: the next one waits, so that a failed one keeps its place. */
  busy: boolean;
  /** Most bytes of a batch: less once the broker has found one too large. */
  limit: number;
}

/** Records in order, in pieces that fit a batch of `limit` bytes; one that is larger goes alone. */
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

/** Cuts an entry that is over what the broker takes; its call then waits for every piece. */
export const fitting = (entry: Entry, limit: number): Entry[] => {
  if (entry.bytes <= limit || entry.records.length === 1) return [entry];
  const { call, topic, partition } = entry;
  const pieces = cut(entry.records, limit).map(({ records, bytes }) => ({ call, topic, partition, records, bytes }));
  entry.call.left += pieces.length - 1;
  return pieces;
};

/** Takes the next batch off a queue: at least one entry, within both bounds; calls that are over are dropped. */
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

/** Puts a batch that was not stored back to where it was. */
export const putBack = (queue: PartitionQueue, batch: readonly Entry[]): void => {
  queue.entries.unshift(...batch.filter(({ call }) => !call.over));
};

/** Drops what belongs to calls that are over. */
export const tidy = (queue: PartitionQueue): void => {
  if (queue.entries.some(({ call }) => call.over)) queue.entries = queue.entries.filter(({ call }) => !call.over);
};

/** Notes that an entry is stored; the last one of a call ends it. */
export const stored = ({ call }: Entry): void => {
  call.left -= 1;
  if (call.over || call.left > 0) return;
  call.over = true;
  call.done();
};

/** Ends a call with an error, once. */
export const failed = (call: Call, error: RelayError): void => {
  if (call.over) return;
  call.over = true;
  call.fail(error);
};
