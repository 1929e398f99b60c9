import type { SqliteFile } from '@ranger-relay/sqlite';
import { type CountedPage, createPendingCounter, type PendingCounter, type Reach } from '../pending-counter.ts';
import { type PendingKey, publishedAtHeader } from '../port.ts';
import { decodeDone } from '../lanes.ts';
import type { Offsets } from './offsets.ts';
import type { StoredTopic } from './topics.ts';

/** Number of records read in one query, during which publishing waits. */
const pageRecords = 1_000;

/** The time of `publishedAt`, in SQL. */
const published = `min(at, coalesce(nullif(CAST(headers ->> '$."${publishedAtHeader}"' AS INTEGER), 0), at))`;

const page = `SELECT key, ${published} AS timestamp, offset FROM records WHERE slot = ? AND offset >= ? AND offset < ?
  ORDER BY offset LIMIT ${pageRecords}`;
const lastOffset = 'SELECT max(offset) AS last FROM records WHERE slot = ?';

/** Counts of the records that groups have not done. */
export interface Pending {
  /** By key, over all partitions of a topic. */
  keys(topic: StoredTopic, group: string): Promise<readonly PendingKey[]>;
  /** Number of undone records of one slot. */
  lag(group: string, slot: number): Promise<number>;
}

/** Creates the counts of one file. Each record is counted once per group. */
export const createPending = (file: SqliteFile, offsets: Pick<Offsets, 'get'>): Pending => {
  const counters = new Map<string, PendingCounter>();

  async function* range(slot: number, from: bigint, to: bigint): AsyncIterable<CountedPage> {
    for (let next = from; next < to;) {
      const rows = await file.read(page, [slot, next, to]);
      const records = rows.map(({ key, timestamp, offset }) => ({
        key: key as string,
        timestamp: timestamp as number,
        offset: BigInt(offset as number),
      }));
      next = records.length < pageRecords ? to : (records.at(-1)?.offset ?? 0n) + 1n;
      yield { records, to: next };
    }
  }

  const counterOf = (group: string): PendingCounter => {
    const made = counters.get(group) ?? createPendingCounter(range);
    counters.set(group, made);
    return made;
  };

  const reachOf = async (group: string, slot: number): Promise<Reach> => {
    const commit = await offsets.get(group, slot);
    const [row] = await file.read(lastOffset, [slot]);
    return {
      committed: commit?.offset ?? 0n,
      done: decodeDone(commit?.done ?? ''),
      end: BigInt((row?.['last'] as number | null) ?? -1) + 1n,
    };
  };

  return {
    keys: ({ slots }, group) =>
      counterOf(group).count(async () => {
        return new Map(await Promise.all(slots.map(async (slot) => [slot, await reachOf(group, slot)] as const)));
      }),
    async lag(group, slot) {
      const found = await counterOf(group).count(async () => new Map([[slot, await reachOf(group, slot)]]));
      return found.reduce((sum, { count }) => sum + count, 0);
    },
  };
};
