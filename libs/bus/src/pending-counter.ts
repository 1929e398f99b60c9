import type { PendingKey } from './port.ts';

/** Counts of one page of a partition, by key. */
export interface CountedPage {
  readonly keys: readonly PendingKey[];
  /** Offset behind the last record of the page. */
  readonly to: bigint;
}

/** Counts the records of a partition from an offset up to another one (exclusive), page by page. */
export type CountRange = (partition: number, from: bigint, to: bigint) => AsyncIterable<CountedPage>;

/** Committed offset of a group and end of the partition. */
export interface Reach {
  readonly committed: bigint;
  readonly end: bigint;
}

/** Counts, by key, the records between a group's offsets and the ends. Reads each record about once, however often `count` is called. */
export interface PendingCounter {
  /** Calls `reaches` when earlier counts have ended: offsets read before would seem to have decreased. */
  count(reaches: () => Promise<ReadonlyMap<number, Reach>>): Promise<readonly PendingKey[]>;
}

type Counts = { -readonly [name in keyof PendingKey]: PendingKey[name] };

/** Consecutive records with their counts; dropped when the group has passed it. */
interface Stretch {
  readonly from: bigint;
  to: bigint;
  readonly keys: Map<string, Counts>;
  records: number;
}

const stretchRecords = 1_000;

/** Adds counts to their key; true when the key is new. */
const addTo = (found: Map<string, Counts>, more: PendingKey): boolean => {
  const known = found.get(more.key);
  if (!known) {
    found.set(more.key, { ...more });
    return true;
  }
  known.count += more.count;
  known.oldest = Math.min(known.oldest, more.oldest);
  known.newest = Math.max(known.newest, more.newest);
  return false;
};

/** Counts the records of a page. */
export const countPage = (
  records: readonly { readonly key: string; readonly timestamp: number }[],
  to: bigint,
): CountedPage => {
  const keys = new Map<string, Counts>();
  for (const { key, timestamp } of records) addTo(keys, { key, count: 1, oldest: timestamp, newest: timestamp });
  return { keys: [...keys.values()], to };
};

/**
 * Undone records of one partition: stretches in order, and the counts of each key in them, so that a result costs only
 * as much as there are keys.
 */
class Backlog {
  private readonly stretches: Stretch[] = [];
  private readonly byKey = new Map<string, { count: number; readonly parts: Counts[] }>();

  /** Offset at which counting continues; undefined before the first count. */
  get to(): bigint | undefined {
    return this.stretches.at(-1)?.to;
  }

  get first(): Readonly<Pick<Stretch, 'from' | 'to'>> | undefined {
    return this.stretches[0];
  }

  add(from: bigint, page: CountedPage): void {
    let last = this.stretches.at(-1);
    if (!last || last.records >= stretchRecords) {
      last = { from, to: page.to, keys: new Map(), records: 0 };
      this.stretches.push(last);
    }
    this.count(last, page, 'push');
  }

  dropFirst(): void {
    for (const [key, { count }] of this.stretches.shift()?.keys ?? []) {
      const known = this.byKey.get(key);
      if (!known) continue;
      known.count -= count;
      known.parts.shift();
      if (known.count === 0) this.byKey.delete(key);
    }
  }

  /** Replaces the first stretch by its remaining part. */
  replaceFirst(from: bigint, pages: readonly CountedPage[]): void {
    const to = this.first?.to ?? from;
    this.dropFirst();
    const stretch: Stretch = { from, to, keys: new Map(), records: 0 };
    this.stretches.unshift(stretch);
    for (const page of pages) this.count(stretch, { ...page, to }, 'unshift');
  }

  *counts(): Iterable<PendingKey> {
    for (const [key, { count, parts }] of this.byKey)
      yield { key, count, oldest: parts[0]?.oldest ?? 0, newest: parts.at(-1)?.newest ?? 0 };
  }

  private count(stretch: Stretch, { keys, to }: CountedPage, end: 'push' | 'unshift'): void {
    stretch.to = to;
    for (const more of keys) {
      stretch.records += more.count;
      const known = this.byKey.get(more.key) ?? { count: 0, parts: [] };
      this.byKey.set(more.key, known);
      known.count += more.count;
      if (addTo(stretch.keys, more)) known.parts[end](stretch.keys.get(more.key) as Counts);
    }
  }
}

/** Creates the counter of one group on one topic. */
export const createPendingCounter = (range: CountRange): PendingCounter => {
  const backlogs = new Map<number, Backlog>();
  /** Counts run one after the other; two at once would read and count the same records. */
  let last: Promise<unknown> = Promise.resolve();

  const backlogOf = async (partition: number, { committed, end }: Reach): Promise<Backlog> => {
    let backlog = backlogs.get(partition) ?? new Backlog();
    while (backlog.first && backlog.first.to <= committed) backlog.dropFirst();
    const { first } = backlog;
    if (first && first.from > committed) backlog = new Backlog();
    if (first && first.from < committed) {
      const pages: CountedPage[] = [];
      for await (const page of range(partition, committed, first.to)) pages.push(page);
      backlog.replaceFirst(committed, pages);
    }
    backlogs.set(partition, backlog);
    const from = backlog.to ?? committed;
    if (from < end) for await (const page of range(partition, from, end)) backlog.add(backlog.to ?? committed, page);
    return backlog;
  };

  const count: PendingCounter['count'] = async (reaches) => {
    const all = await Promise.all([...(await reaches())].map(([partition, reach]) => backlogOf(partition, reach)));
    const found = new Map<string, Counts>();
    for (const backlog of all) for (const pending of backlog.counts()) addTo(found, pending);
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
