import { type Done, undoneFrom } from './lanes.ts';
import type { PendingKey } from './port.ts';

/** Records of one page of a partition. */
export interface CountedPage {
  readonly records: readonly { readonly key: string; readonly offset: bigint; readonly timestamp: number }[];
  /** Offset behind the page. */
  readonly to: bigint;
}

/** Reads the records of a partition from an offset up to another one (exclusive), page by page. */
export type CountRange = (partition: number, from: bigint, to: bigint) => AsyncIterable<CountedPage>;

/** The commit of a group, and the end of the partition. */
export interface Reach {
  readonly committed: bigint;
  /** What is done from there on. */
  readonly done: Done | null;
  readonly end: bigint;
}

/** Counts, by key, the records that a group has not done. Reads each record once, however often `count` is called. */
export interface PendingCounter {
  /** Calls `reaches` when earlier counts have ended: offsets read before would seem to have decreased. */
  count(reaches: () => Promise<ReadonlyMap<number, Reach>>): Promise<readonly PendingKey[]>;
}

/** Undone records of one key: their offsets and times, in order; 16 bytes a record. */
interface Undone {
  readonly offsets: number[];
  readonly times: number[];
}

/** The undone records of one partition. */
class Backlog {
  /** What is done before it was dropped. */
  from: bigint;
  /** Offset at which reading continues. */
  to: bigint;
  private readonly byKey = new Map<string, Undone>();

  constructor(from: bigint) {
    this.from = from;
    this.to = from;
  }

  add({ records, to }: CountedPage): void {
    for (const { key, offset, timestamp } of records) {
      const undone = this.byKey.get(key) ?? { offsets: [], times: [] };
      this.byKey.set(key, undone);
      undone.offsets.push(Number(offset));
      undone.times.push(timestamp);
    }
    this.to = to;
  }

  /** Forgets what is done by now, of these keys. */
  drop({ committed, done }: Reach, keys: Iterable<string> = this.byKey.keys()): void {
    this.from = committed;
    for (const key of keys) {
      const { offsets, times } = this.byKey.get(key) ?? { offsets: [], times: [] };
      const first = undoneFrom(done, key);
      const left = Number(first > committed ? first : committed);
      const count = offsets.findIndex((offset) => offset >= left);
      if (count < 0) this.byKey.delete(key);
      else for (const list of [offsets, times]) list.splice(0, count);
    }
  }

  *counts(): Iterable<PendingKey> {
    for (const [key, { times }] of this.byKey)
      yield { key, count: times.length, oldest: times[0] ?? 0, newest: times.at(-1) ?? 0 };
  }
}

const joined = (a: PendingKey | undefined, b: PendingKey): PendingKey =>
  a
    ? {
        key: b.key,
        count: a.count + b.count,
        oldest: Math.min(a.oldest, b.oldest),
        newest: Math.max(a.newest, b.newest),
      }
    : b;

/** Creates the counter of one group on one topic. */
export const createPendingCounter = (range: CountRange): PendingCounter => {
  const backlogs = new Map<number, Backlog>();
  /** Counts run one after the other; two at once would read and count the same records. */
  let last: Promise<unknown> = Promise.resolve();

  const backlogOf = async (partition: number, reach: Reach): Promise<Backlog> => {
    const { committed, end } = reach;
    const known = backlogs.get(partition);
    // An offset that went back, or one that passed all that was read, begins anew.
    const backlog = known && known.from <= committed && committed <= known.to ? known : new Backlog(committed);
    backlogs.set(partition, backlog);
    if (backlog.to < end)
      for await (const page of range(partition, backlog.to, end)) {
        backlog.add(page);
        backlog.drop(reach, new Set(page.records.map(({ key }) => key)));
      }
    backlog.drop(reach);
    return backlog;
  };

  const count: PendingCounter['count'] = async (reaches) => {
    const all = await Promise.all([...(await reaches())].map(([partition, reach]) => backlogOf(partition, reach)));
    const found = new Map<string, PendingKey>();
    for (const backlog of all)
      for (const pending of backlog.counts()) found.set(pending.key, joined(found.get(pending.key), pending));
    return [...found.values()];
  };

  return {
    count(reaches) {
      const mine = last.catch(() => undefined).then(() => count(reaches));
      last = mine;
      mine.catch(() => undefined);
      return mine;
    },
  };
};
