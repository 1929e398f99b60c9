import { isRelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import type { LastRecords } from '../../port.ts';
import type { Cluster } from '../client/cluster.ts';
import type { ClusterMetadata } from '../client/cluster-metadata.ts';
import { isRetriable, unavailable } from '../client/problems.ts';
import type { Fetcher } from './fetcher.ts';

interface LastRecordsDependencies {
  /** How many partitions a topic has. */
  readonly partitions: (topic: string) => Promise<number>;
  readonly offsetFetcher: Pick<Fetcher, 'fetch'>;
  readonly ends: Ends;
  /** Aborted when the bus closes. */
  readonly closing: AbortSignal;
}

/** Compares the last record of each partition with a time, ms since 1970. @throws RelayError of the bus */
export type ReadLastRecord = (topic: string, time: number) => Promise<LastRecords>;

const lastRecordBytes = 65_536;

export const createLastRecordReader = (parts: LastRecordsDependencies): ReadLastRecord => {
  const { partitions, offsetFetcher, ends, closing } = parts;

  const timeOfLast = async (topic: string, partition: number, end: bigint): Promise<number | null> => {
    try {
      const request = { topic, partition, from: end - 1n, maxBytes: lastRecordBytes, tolerant: true, once: true };
      return (await offsetFetcher.fetch(request, closing)).records.at(-1)?.timestamp ?? null;
    } catch (error) {
      closing.throwIfAborted();
      if (isRelayError(error)) throw error;
      return null;
    }
  };

  return async (topic, time) => {
    const all = Array.from({ length: await partitions(topic) }, (_, index) => index);
    const [first, end] = await Promise.all([ends.earliest(topic, all), ends.latest(topic, all)]);
    const endOf = (partition: number): bigint => end.get(partition) ?? 0n;
    const nonEmpty = all.filter((partition) => (first.get(partition) ?? 0n) < endOf(partition));
    // Brokers find any record with a later time, but only the last one counts. Most partitions have none and need no fetch.
    const since = await ends.since(topic, nonEmpty, time + 1);
    const candidates = nonEmpty.filter((partition) => (since.get(partition) ?? 0n) < endOf(partition));
    const times = await Promise.all(candidates.map((partition) => timeOfLast(topic, partition, endOf(partition))));
    return { partitions: nonEmpty.length, newer: times.filter((at) => at === null || at > time) };
  };
};

/** First and last offsets of partitions. */
export interface Ends {
  /** First offsets that the brokers still have. */
  earliest(topic: string, partitions: readonly number[]): Promise<Map<number, bigint>>;
  /** Offsets of the next records. */
  latest(topic: string, partitions: readonly number[]): Promise<Map<number, bigint>>;
  /** Offsets of the first records published at `time` (ms since 1970) or later; the offset of the next record where there is none. */
  since(topic: string, partitions: readonly number[], time: number): Promise<Map<number, bigint>>;
}

class Incomplete extends Error {
  constructor(topic: string) {
    super(`the metadata of the brokers lack partitions of ${topic}`);
  }
}

const pauseMs = 100;
const tries = 20;

/** Creates the reader of offsets of one client. It retries while leaders move or are being elected. */
export const createEnds = (cluster: Cluster, metadata: ClusterMetadata, clock: Clock): Ends => {
  const ask = async (
    topic: string,
    partitions: readonly number[],
    from: { readonly fromBeginning: boolean } | { readonly fromTimestamp: number },
  ): Promise<Map<number, bigint>> => {
    if (partitions.length === 0) return new Map();
    await metadata.partitions(topic);
    const wanted = [{ topic, partitions: partitions.map((partition) => ({ partition })), ...from }];
    for (let left = tries; ; left -= 1)
      try {
        const found = await cluster.fetchTopicsOffset(wanted);
        const ends = new Map(
          found.flatMap((each) => each.partitions.map(({ partition, offset }) => [partition, BigInt(offset)])),
        );
        // A missing partition must not count as empty: a group would start over in it.
        if (!partitions.every((partition) => ends.has(partition))) throw new Incomplete(topic);
        return ends;
      } catch (error) {
        if (left <= 1 || !(error instanceof Incomplete || isRetriable(error))) throw unavailable(error);
        await clock.sleep(pauseMs);
        await metadata.refresh();
      }
  };
  const latest: Ends['latest'] = (topic, partitions) => ask(topic, partitions, { fromBeginning: false });
  return {
    earliest: (topic, partitions) => ask(topic, partitions, { fromBeginning: true }),
    latest,
    async since(topic, partitions, time) {
      const found = await ask(topic, partitions, { fromTimestamp: time });
      const none = [...found].filter(([, offset]) => offset < 0n).map(([partition]) => partition);
      return new Map([...found, ...(await latest(topic, none))]);
    },
  };
};
