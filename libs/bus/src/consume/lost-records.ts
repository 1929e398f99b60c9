import type { Logger, MetricName, Metrics } from '@ranger-relay/runtime';

/** A group whose offsets are gone begins with records that are no older, ms: marks of what was handled live a day longer. */
const startWithoutOffsetsMs = 5 * 86_400_000;

/**
 * From when on a group without usable offsets reads, ms since 1970. A clock that is ahead must not make unread records old: the newest record
 * of the topic is the measure where it is before `now`.
 * @param newest when the last records of the topic were published, as far as they can be read
 */
export const recentSince = (now: number, newest: readonly (number | null)[]): number => {
  const known = newest.filter((at) => at !== null);
  return Math.min(now, known.length > 0 ? Math.max(...known) : now) - startWithoutOffsetsMs;
};

/** Records of one partition that a group passes over without having handled them. */
export interface LostRange {
  readonly partition: number;
  /** `retention`: the broker has deleted them. `no_offsets`: nobody knows any more whether they were handled, and they are old. */
  readonly reason: 'retention' | 'no_offsets';
  readonly from: bigint;
  /** Exclusive. */
  readonly to: bigint;
  /** How many; as many as there are offsets when left out. */
  readonly records?: number;
}

/** Tells of lost records. */
export type ReportLost = (range: LostRange) => void;

const texts = {
  retention: 'records were deleted before they were handled: retention is shorter than their waiting time',
  no_offsets: 'the group has no usable offsets; records older than five days are skipped, handled or not',
} as const;

/** One error line and a count for each range. */
export const reportLostTo =
  (log: Logger, metrics: Metrics<MetricName>, { topic, group }: { topic: string; group: string }): ReportLost =>
  ({ partition, reason, from, to, records = Number(to - from) }) => {
    if (records <= 0) return;
    metrics.count('relay_bus_lost_records_total', { topic, reason }, records);
    log.error({ topic, group, partition, from: String(from), to: String(to), records }, texts[reason]);
  };
