import type { Logger, MetricName, Metrics } from '@ranger-relay/runtime';

/** A group whose offsets are gone begins with records that are no older, ms: marks of what was handled live a day longer. */
export const startWithoutOffsetsMs = 5 * 86_400_000;

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
  retention: 'records were deleted before they were handled: retention is shorter than the time that they waited',
  no_offsets:
    'the group has no offsets; records older than five days are passed over, whether they were handled or not',
} as const;

/** One error line and a count for each range. */
export const reportLostTo =
  (log: Logger, metrics: Metrics<MetricName>, { topic, group }: { topic: string; group: string }): ReportLost =>
  ({ partition, reason, from, to, records = Number(to - from) }) => {
    if (records <= 0) return;
    metrics.count('relay_bus_lost_records_total', { topic, reason }, records);
    log.error({ topic, group, partition, from: String(from), to: String(to), records }, texts[reason]);
  };
