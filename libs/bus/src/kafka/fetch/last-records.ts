import { isRelayError } from '@ranger-relay/errors';
import type { LastRecords } from '../../port.ts';
import type { Ends } from './ends.ts';
import type { Fetcher } from './fetcher.ts';

/** What looking at last records needs. */
export interface LastRecordsParts {
  /** How many partitions a topic has. */
  readonly partitions: (topic: string) => Promise<number>;
  readonly looker: Pick<Fetcher, 'look'>;
  readonly ends: Ends;
  /** Aborted when the bus closes. */
  readonly closing: AbortSignal;
}

/** Compares the last record of each partition with a time, ms since 1970. @throws RelayError of the bus */
export type LookAtLast = (topic: string, time: number) => Promise<LastRecords>;

const lookBytes = 65_536;

/** Makes the look at last records. */
export const createLookAtLast = (parts: LastRecordsParts): LookAtLast => {
  const { partitions, looker, ends, closing } = parts;

  const timeOfLast = async (topic: string, partition: number, end: bigint): Promise<number | null> => {
    try {
      const wish = { topic, partition, from: end - 1n, maxBytes: lookBytes, tolerant: true, once: true };
      return (await looker.look(wish, closing)).records.at(-1)?.timestamp ?? null;
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
    const held = all.filter((partition) => (first.get(partition) ?? 0n) < endOf(partition));
    // Brokers find any record that is later, and only the last one counts; most partitions have none and need no look.
    const since = await ends.since(topic, held, time + 1);
    const candidates = held.filter((partition) => (since.get(partition) ?? 0n) < endOf(partition));
    const times = await Promise.all(candidates.map((partition) => timeOfLast(topic, partition, endOf(partition))));
    return { partitions: held.length, newer: times.filter((at) => at === null || at > time) };
  };
};
