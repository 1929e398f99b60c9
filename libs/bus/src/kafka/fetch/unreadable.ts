import type { Clock, Logger, MetricName, Metrics } from '@ranger-relay/runtime';
import type { UnreadableBatch } from '../wire/read-batches.ts';

/** A batch that cannot be read, with its partition. */
export interface Unreadable extends UnreadableBatch {
  readonly topic: string;
  readonly partition: number;
}

/** Partitions whose next batch cannot be read, by reader. */
export interface UnreadablePartitions {
  /** Records the batch of a reader; returns a sentence for operators. */
  report(reader: object, found: Unreadable): string;
  /** Called when the reader continued or ended. */
  clear(reader: object): void;
}

/** Interval between two log lines about the same batch, ms. */
const repeatMs = 600_000;
const maxLogged = 1_000;

/** Describes the batch for operators. */
export const sentenceOf = ({ topic, partition, offset, codec, problem }: Unreadable): string =>
  `partition ${partition} of ${topic} cannot be read at offset ${offset} (${codec}): ${problem}`;

/** Creates the tracker of one process: it logs an error for each batch, and sets a gauge of partitions by topic. */
export const createUnreadable = (clock: Clock, log: Logger, metrics: Metrics<MetricName>): UnreadablePartitions => {
  const readers = new Map<object, Unreadable>();
  const logged = new Map<string, number>();

  const show = (topic: string): void => {
    const partitions = new Set(
      [...readers.values()].filter((each) => each.topic === topic).map((each) => each.partition),
    );
    metrics.set('relay_bus_unreadable_partitions', partitions.size, { topic });
  };

  const isNews = (id: string): boolean => {
    const now = clock.monotonic();
    if (now - (logged.get(id) ?? -Infinity) < repeatMs) return false;
    if (logged.size >= maxLogged) logged.clear();
    logged.set(id, now);
    return true;
  };

  return {
    report(reader, found) {
      const { topic, partition, offset, codec, problem } = found;
      readers.set(reader, found);
      show(topic);
      if (isNews(`${topic} ${partition} ${offset}`))
        log.error(
          { topic, partition, offset: String(offset), codec, problem },
          'a batch of records cannot be read; its partition waits there and is retried',
        );
      return sentenceOf(found);
    },
    clear(reader) {
      const found = readers.get(reader);
      if (found && readers.delete(reader)) show(found.topic);
    },
  };
};
