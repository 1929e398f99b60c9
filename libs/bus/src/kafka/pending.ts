import { addPending } from '../pending-keys.ts';
import type { BusRecord, PendingKey } from '../port.ts';

/** What one stretch of a partition holds, by key. */
interface Stretch {
  readonly from: bigint;
  /** Exclusive. */
  to: bigint;
  readonly keys: Map<string, PendingKey>;
  records: number;
}

/** Reads records of a partition from an offset up to another one, exclusive. */
export type ReadRange = (partition: number, from: bigint, to: bigint) => AsyncIterable<BusRecord>;

/** How far a group and a partition have come. */
export interface Reach {
  readonly committed: bigint;
  readonly end: bigint;
}

/** Counts by key what lies between a group's offsets and the ends, reading every record once however often it is asked. */
export interface PendingCounter {
  count(reaches: ReadonlyMap<number, Reach>, read: ReadRange): Promise<readonly PendingKey[]>;
}

const stretchRecords = 1_000;

const single = ({ key, timestamp }: BusRecord): PendingKey => ({ key, count: 1, oldest: timestamp, newest: timestamp });

const readInto = async (stretches: Stretch[], records: AsyncIterable<BusRecord>, to: bigint): Promise<void> => {
  for await (const record of records) {
    let last = stretches.at(-1);
    if (!last || last.records >= stretchRecords) {
      last = { from: last?.to ?? record.offset, to: record.offset, keys: new Map(), records: 0 };
      stretches.push(last);
    }
    addPending(last.keys, single(record));
    last.records += 1;
    last.to = record.offset + 1n;
  }
  const last = stretches.at(-1);
  if (last && last.to < to) last.to = to;
};

/** Makes the counter of one group on one topic. It remembers counts of whole stretches and reads only what they do not say. */
export const createPendingCounter = (): PendingCounter => {
  const known = new Map<number, Stretch[]>();
  /** One count after the other: two at once would read, and count, the same records. */
  let last: Promise<unknown> = Promise.resolve();

  /** Drops what is committed; a stretch in whose middle the group stands is counted anew. */
  const trim = async (partition: number, { committed }: Reach, read: ReadRange): Promise<Stretch[]> => {
    const left = (known.get(partition) ?? []).filter(({ to }) => to > committed);
    const [first, ...rest] = left;
    if (!first || first.from === committed) return left;
    if (first.from > committed) return [];
    const anew: Stretch[] = [];
    await readInto(anew, read(partition, committed, first.to), first.to);
    return [...anew, ...rest];
  };

  const stretchesOf = async (partition: number, reach: Reach, read: ReadRange): Promise<Stretch[]> => {
    const stretches = await trim(partition, reach, read);
    const from = stretches.at(-1)?.to ?? reach.committed;
    if (from < reach.end) await readInto(stretches, read(partition, from, reach.end), reach.end);
    known.set(partition, stretches);
    return stretches;
  };

  const count: PendingCounter['count'] = async (reaches, read) => {
    const all = await Promise.all([...reaches].map(([partition, reach]) => stretchesOf(partition, reach, read)));
    const found = new Map<string, PendingKey>();
    for (const { keys } of all.flat()) for (const pending of keys.values()) addPending(found, pending);
    return [...found.values()];
  };

  return {
    count(reaches, read) {
      const mine = last.catch(() => undefined).then(() => count(reaches, read));
      last = mine;
      mine.catch(() => undefined);
      return mine;
    },
  };
};
