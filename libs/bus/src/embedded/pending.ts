import type { SqliteFile } from '@ranger-relay/sqlite';
import { type CountedPage, createPendingCounter, type PendingCounter, type Reach } from '../pending-counter.ts';
import { type PendingKey, publishedAtHeader } from '../port.ts';
import type { Offsets } from './offsets.ts';
import type { StoredTopic } from './topics.ts';

/** Number of records counted in one query, during which publishing waits. */
const pageRecords = 5_000;

/** The time of `publishedAt`, in SQL. */
const published = `min(at, coalesce(nullif(CAST(headers ->> '$."${publishedAtHeader}"' AS INTEGER), 0), at))`;

const countPage = `SELECT key, count(*) AS count, min(at) AS oldest, max(at) AS newest, max(offset) AS last
  FROM (SELECT key, ${published} AS at, offset FROM records WHERE slot = ? AND offset >= ? AND offset < ?
    ORDER BY offset LIMIT ${pageRecords})
  GROUP BY key`;
const lastOffset = 'SELECT max(offset) AS last FROM records WHERE slot = ?';

/** Counts of the records that groups have not committed. */
export interface Pending {
  /** By key, over all partitions of a topic. */
  keys(topic: StoredTopic, group: string): Promise<readonly PendingKey[]>;
  /** Number of records of one slot from an offset on; calls `from` when earlier counts have ended. */
  lag(group: string, slot: number, from: () => bigint): Promise<number>;
}

/** Creates the counts of one file. Each record is counted once per group. */
export const createPending = (file: SqliteFile, offsets: Pick<Offsets, 'get'>): Pending => {
  const counters = new Map<string, PendingCounter>();

  async function* range(slot: number, from: bigint, to: bigint): AsyncIterable<CountedPage> {
    for (let next = from, counted = pageRecords; counted === pageRecords;) {
      const rows = await file.read(countPage, [slot, next, to]);
      const keys = rows.map((row) => row as unknown as PendingKey & { readonly last: number });
      counted = keys.reduce((sum, { count }) => sum + count, 0);
      if (counted === 0) return;
      next = BigInt(Math.max(...keys.map(({ last }) => last))) + 1n;
      yield { keys: keys.map(({ key, count, oldest, newest }) => ({ key, count, oldest, newest })), to: next };
    }
  }

  const counterOf = (group: string): PendingCounter => {
    const made = counters.get(group) ?? createPendingCounter(range);
    counters.set(group, made);
    return made;
  };

  const reachOf = async (slot: number, committed: bigint): Promise<Reach> => {
    const [row] = await file.read(lastOffset, [slot]);
    return { committed, end: BigInt((row?.['last'] as number | null) ?? -1) + 1n };
  };

  return {
    keys: ({ slots }, group) =>
      counterOf(group).count(async () => {
        const reaches = slots.map(async (slot) => {
          const committed = (await offsets.get(group, slot))?.offset ?? 0n;
          return [slot, await reachOf(slot, committed)] as const;
        });
        return new Map(await Promise.all(reaches));
      }),
    async lag(group, slot, from) {
      const found = await counterOf(group).count(async () => new Map([[slot, await reachOf(slot, from())]]));
      return found.reduce((sum, { count }) => sum + count, 0);
    },
  };
};
