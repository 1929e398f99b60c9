import type { Bus } from '@ranger-relay/bus';
import { readEntry, type TimedEntry } from './format.ts';

/** Keeps the `limit` newest items of a stream by `timeOf`, in bounded memory; items of one time keep the order in which they came. */
export const createLatest = <T>(limit: number, timeOf: (item: T) => number) => {
  let items: T[] = [];
  let dropped = 0;
  const trim = (): void => {
    items.sort((a, b) => timeOf(a) - timeOf(b));
    const over = Math.max(0, items.length - limit);
    items = items.slice(over);
    dropped += over;
  };
  return {
    add(item: T): void {
      items.push(item);
      if (items.length >= 2 * limit + 1_000) trim();
    },
    /** Kept items, oldest first. */
    sorted(): readonly T[] {
      trim();
      return [...items];
    },
    /** Number of dropped items. */
    dropped: () => dropped,
  };
};

/** Filter of entries. */
interface EntryFilter {
  readonly integration?: string | undefined;
  /** Not before, ms since 1970. */
  readonly since?: number | undefined;
}

/** Where a first reading ended: the next offset by partition. */
type Position = Map<number, bigint>;

const fits = ({ at, entry }: TimedEntry, { integration, since }: EntryFilter): boolean =>
  (integration === undefined || entry.payload.integration_id === integration) && (since === undefined || at >= since);

/** The newest `limit` entries that are on the topic, in time order, how many older ones fit too, and where the reading ended. */
export const readPast = async (
  bus: Bus,
  topic: string,
  filter: EntryFilter,
  limit: number,
  signal: AbortSignal,
): Promise<{ entries: readonly TimedEntry[]; older: number; position: Position }> => {
  const latest = createLatest<TimedEntry>(limit, ({ at }) => at);
  const position: Position = new Map();
  for await (const record of bus.read({ topic, signal })) {
    position.set(record.partition, record.offset + 1n);
    const entry = readEntry(record);
    if (entry && fits(entry, filter)) latest.add(entry);
  }
  const entries = latest.sorted();
  return { entries, older: latest.dropped(), position };
};

/** Entries as they come, from `position` on, until the signal is aborted. */
export async function* followEntries(
  bus: Bus,
  topic: string,
  filter: EntryFilter,
  position: Position,
  signal: AbortSignal,
): AsyncGenerator<TimedEntry> {
  for await (const record of bus.read({ topic, offsets: position, follow: true, signal })) {
    const entry = readEntry(record);
    if (entry && fits(entry, filter)) yield entry;
  }
}
