import { toRelayError } from '@ranger-relay/errors';
import type { FetchRequest } from '../../lanes.ts';
import type { Page } from '../../consume/partition.ts';
import { OutOfRange, TopicRecreated, type Fetcher, type FetchResult } from './fetcher.ts';

export interface ReaderDependencies {
  readonly topic: string;
  /** Undefined where the brokers have no ids. */
  readonly topicId: string | undefined;
  readonly partition: number;
  /** Exclusive end of the partition when it was assigned: a new leader may not show all of it at first. */
  readonly endAtStart: bigint;
  /** Reads existing records. Separate from `fetcher`, whose requests last while other partitions have no new records. */
  readonly offsetFetcher: Fetcher;
  /** Waits for new records. */
  readonly fetcher: Fetcher;
  /** Called when there are new records at the main position. */
  readonly news: () => void;
  /** First offset that the broker still has. */
  readonly earliest: () => Promise<bigint>;
  /** Called for unread records, from an offset up to another one (exclusive), that retention has deleted. */
  readonly lost: (from: bigint, to: bigint) => void;
  /** Called when reading cannot continue at its position: the partition must be reassigned. */
  readonly broken: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** Reads one partition as its lanes request, and watches its end for new records. */
export interface PartitionReader {
  fetch(request: FetchRequest): Promise<Page>;
  /** Exclusive end of the partition in the last response; 0 before the first. */
  end(): bigint;
  /** Since when the partition cannot be read, on the monotonic clock, ms; null while it can. */
  failingSince(): number | null;
}

/** Maximum bytes of a fetch at the main position, and of a fetch for a lagging lane, which mostly returns records of other lanes. */
const mainBytes = 1_048_576;
const gapBytes = 262_144;

const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

export const createReader = (parts: ReaderDependencies): PartitionReader => {
  const { topic, topicId, partition, endAtStart, offsetFetcher, fetcher, signal, news, earliest, lost, broken } = parts;
  /** Records fetched at the main position that the lanes have not requested yet. */
  let prefetched: ({ readonly from: bigint } & FetchResult) | undefined;
  let watching = new AbortController();
  let end = 0n;
  const onEnd = (now: bigint): void => void (end = now);
  /** Exclusive end of the deleted records that were reported already. */
  let reportedUpTo = 0n;

  const reportLost = (from: bigint, to: bigint): void => {
    if (to > reportedUpTo) lost(from > reportedUpTo ? from : reportedUpTo, to);
    reportedUpTo = to;
  };

  const fetchFrom = async (from: bigint, maxBytes: number): Promise<FetchResult> => {
    try {
      return await offsetFetcher.fetch({ topic, topicId, partition, from, maxBytes, onEnd }, signal);
    } catch (error) {
      if (!(error instanceof OutOfRange)) throw error;
      // Where another topic has the name, its first offset tells nothing of this one.
      const first = error instanceof TopicRecreated ? undefined : await earliest();
      if (first !== undefined && first > from) {
        reportLost(from, first);
        return offsetFetcher.fetch({ topic, topicId, partition, from: first, maxBytes, onEnd }, signal);
      }
      broken(error);
      throw error;
    }
  };

  const watch = async (from: bigint, over: AbortSignal): Promise<void> => {
    try {
      const request = { topic, topicId, partition, from, maxBytes: mainBytes, patient: true, onEnd };
      const result = await fetcher.fetch(request, over);
      if (over.aborted) return;
      prefetched = { from, ...result };
      news();
    } catch (error) {
      if (error instanceof OutOfRange) broken(error);
      else if (!isAbort(error) && !over.aborted) throw toRelayError(error);
    }
  };

  const fetchGap = async ({ from, before, maxRecords }: FetchRequest): Promise<Page> => {
    for (let start = from; ;) {
      const { records, end, next } = await fetchFrom(start, gapBytes);
      const limit = before ?? end;
      const kept = records.filter(({ offset }) => offset < limit).slice(0, maxRecords);
      const last = kept.at(-1);
      if (last) return { records: kept, exhausted: last.offset + 1n >= limit };
      // An empty response does not mean that there are no records: a new leader may not show them yet.
      if (records.length > 0 || next >= limit) return { records: [], exhausted: true };
      start = next;
    }
  };

  const fetchMain = async ({ from, maxRecords }: FetchRequest): Promise<Page> => {
    watching.abort();
    const known = prefetched?.from === from ? prefetched : undefined;
    prefetched = undefined;
    const { records, end, next } = known ?? (await fetchFrom(from, mainBytes));
    const given = records.slice(0, maxRecords);
    if (given.length < records.length) {
      prefetched = { from: (given.at(-1)?.offset ?? from) + 1n, records: records.slice(maxRecords), end, next };
      return { records: given, exhausted: false };
    }
    const exhausted = next >= end && next >= endAtStart;
    if (exhausted) {
      watching = new AbortController();
      void watch(next, AbortSignal.any([signal, watching.signal])).catch(broken);
    }
    return { records: given, exhausted };
  };

  return {
    fetch: (request) => (request.before === null ? fetchMain(request) : fetchGap(request)),
    end: () => end,
    failingSince() {
      const since = [offsetFetcher, fetcher].flatMap((each) => each.failingSince(topic, partition) ?? []);
      return since.length === 0 ? null : Math.min(...since);
    },
  };
};
