import { type Done, isDone } from '../lanes.ts';
import { RelayError } from '@ranger-relay/errors';
import { doneIn } from '../consume/commit.ts';
import type { BusRecord, ReadOptions } from '../port.ts';
import type { Ends } from './fetch/ends.ts';
import { OutOfRange, type Fetcher } from './fetch/fetcher.ts';
import { type StoredKafkaCommit, usableCommit } from './group/coordinator.ts';
import { sentenceOf } from './fetch/unreadable.ts';

export interface ReadDependencies {
  /** How many partitions a topic has. */
  readonly partitions: (topic: string) => Promise<number>;
  /** Id that a topic has now; undefined where the brokers have none. */
  readonly topicId: (topic: string) => Promise<string | undefined>;
  /** Waits for new records. */
  readonly fetcher: Fetcher;
  /** Reads existing records; its requests never wait behind one that waits for new records. */
  readonly offsetFetcher: Fetcher;
  readonly ends: Ends;
  readonly committed: (
    group: string,
    topic: string,
    partitions: readonly number[],
  ) => Promise<Map<number, StoredKafkaCommit>>;
  /** Aborted when the bus closes. */
  readonly closing: AbortSignal;
}

interface Cursor {
  /** Topic that the positions are of. */
  topicId: string | undefined;
  readonly partition: number;
  next: bigint;
  /** End of a reading that does not follow. */
  readonly end: bigint;
  /** What is left out. */
  done: Done | null;
}

const pageBytes = 1_048_576;
const undonePrefix = 'undone:';

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const cursorsOf = async (parts: ReadDependencies, options: ReadOptions): Promise<Cursor[]> => {
  const { topic, offsets, from = 'earliest' } = options;
  const partitions = range(await parts.partitions(topic));
  const topicId = await parts.topicId(topic);
  const group = from.startsWith(undonePrefix) ? from.slice(undonePrefix.length) : undefined;
  const committed = group === undefined ? undefined : await parts.committed(group, topic, partitions);
  const [first, last] = await Promise.all([
    parts.ends.earliest(topic, partitions),
    parts.ends.latest(topic, partitions),
  ]);
  return partitions.map((partition) => {
    const end = last.get(partition) ?? 0n;
    const start = first.get(partition) ?? 0n;
    const commit = usableCommit(committed?.get(partition), topicId, end);
    const wanted = offsets?.get(partition) ?? (from === 'latest' ? end : commit?.offset);
    // A position beyond the end is one of a topic that was deleted, or has lost records.
    const next = wanted !== undefined && wanted > start && wanted <= end ? wanted : start;
    const done = doneIn(commit?.done ?? '', end);
    return { topicId, partition, next, end, done };
  });
};

const fetchPage = async (
  parts: ReadDependencies,
  topic: string,
  cursor: Cursor,
  signal: AbortSignal,
  patient = false,
): Promise<readonly BusRecord[]> => {
  const request = {
    topic,
    topicId: cursor.topicId,
    partition: cursor.partition,
    maxBytes: pageBytes,
    patient,
    tolerant: !patient,
  };
  try {
    const { records, next, unreadable } = await (patient ? parts.fetcher : parts.offsetFetcher).fetch(
      { ...request, from: cursor.next },
      signal,
    );
    if (unreadable) throw new RelayError('bus_unavailable', { details: { reason: sentenceOf(unreadable) } });
    if (records.length === 0) cursor.next = next;
    return records;
  } catch (error) {
    if (signal.aborted) return [];
    if (!(error instanceof OutOfRange)) throw error;
    cursor.topicId = await parts.topicId(topic);
    cursor.done = null;
    cursor.next = (await parts.ends.earliest(topic, [cursor.partition])).get(cursor.partition) ?? 0n;
    return [];
  }
};

async function* through(parts: ReadDependencies, topic: string, cursor: Cursor, signal: AbortSignal) {
  while (cursor.next < cursor.end && !signal.aborted)
    for (const record of await fetchPage(parts, topic, cursor, signal)) {
      if (signal.aborted || record.offset >= cursor.end) return;
      cursor.next = record.offset + 1n;
      if (!isDone(cursor.done, record)) yield record;
    }
}

interface ArrivedPage {
  readonly cursor: Cursor;
  readonly records: readonly BusRecord[];
}

/** Fetches all partitions at once and yields records as they arrive, so that an idle partition does not delay others. */
async function* follow(parts: ReadDependencies, topic: string, cursors: readonly Cursor[], signal: AbortSignal) {
  const pages: ArrivedPage[] = [];
  let failure: { readonly error: unknown } | undefined;
  let arrival = Promise.withResolvers<void>();
  const fetchNext = (cursor: Cursor): void => {
    fetchPage(parts, topic, cursor, signal, true)
      .then((records) => void pages.push({ cursor, records }))
      .catch((error: unknown) => (failure = { error }))
      .finally(() => arrival.resolve());
  };
  for (const cursor of cursors) fetchNext(cursor);
  while (!signal.aborted) {
    await arrival.promise;
    arrival = Promise.withResolvers();
    for (const { cursor, records } of pages.splice(0)) {
      for (const record of records) {
        if (signal.aborted) return;
        cursor.next = record.offset + 1n;
        if (!isDone(cursor.done, record)) yield record;
      }
      fetchNext(cursor);
    }
    if (failure) throw failure.error;
  }
}

/**
 * Reads a topic without a group, from the offsets at the time of the call; aborting ends it without an error.
 * @param nameOf adds the prefix to the topic
 */
export const readTopic = (
  parts: ReadDependencies,
  wanted: ReadOptions,
  nameOf: (topic: string) => string,
): AsyncIterable<BusRecord> => {
  const done = new AbortController();
  const signals = [parts.closing, done.signal, ...(wanted.signal ? [wanted.signal] : [])];
  const signal = AbortSignal.any(signals);
  const starting = (async () => {
    const options = { ...wanted, topic: nameOf(wanted.topic) };
    return { options, cursors: await cursorsOf(parts, options) };
  })();
  starting.catch(() => undefined);
  return (async function* () {
    try {
      const { options, cursors } = await starting;
      if (options.follow) yield* follow(parts, options.topic, cursors, signal);
      else for (const cursor of cursors) yield* through(parts, options.topic, cursor, signal);
    } finally {
      done.abort(new DOMException('the reading is over', 'AbortError'));
    }
  })();
};
