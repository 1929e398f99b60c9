import type { Logger, MetricName, Metrics } from '@ranger-relay/runtime';

/** Age of the oldest records that a group without offsets reads, ms. Records of what was delivered reach back longer. */
const startWithoutOffsetsMs = 5 * 86_400_000;

/**
 * Start of a group without usable offsets, ms since 1970: five days before now, or before the newest record if that is
 * older, so that a fast clock does not make unread records old.
 * @param newest publication times of the last records; null for a record that cannot be read
 */
export const recentSince = (now: number, newest: readonly (number | null)[]): number => {
  const known = newest.filter((at) => at !== null);
  return Math.min(now, known.length > 0 ? Math.max(...known) : now) - startWithoutOffsetsMs;
};

/** Records of one partition that a group skips without having handled them. */
export interface LostRange {
  readonly partition: number;
  /**
   * `retention`: the broker has deleted them. `recreated`: with their topic. `no_offsets`: they are old, and it is unknown whether they were
   * handled.
   */
  readonly reason: 'retention' | 'no_offsets' | 'recreated';
  readonly from: bigint;
  /** Exclusive. */
  readonly to: bigint;
  /** Number of records; default: the number of offsets. */
  readonly records?: number;
}

/** Reports lost records. */
export type ReportLost = (range: LostRange) => void;

const texts = {
  retention: 'records were deleted before they were handled: retention is shorter than their waiting time',
  recreated:
    'the topic was deleted and created again: its undone records are gone; the new topic is read from its start',
  no_offsets: 'the group has no usable offsets; records older than five days are skipped, handled or not',
} as const;

/** Records of one topic that were lost; the name is without prefix. */
export interface LostRecords extends Pick<LostRange, 'reason'> {
  readonly topic: string;
  readonly records: number;
}

/** Where lost records are reported. */
interface Reporting {
  readonly log: Logger;
  readonly metrics: Metrics<MetricName>;
  readonly onLost?: ((lost: LostRecords) => void) | undefined;
}

/** Logs one error for each range, counts its records, and tells whoever asked to be told. */
export const reportLostTo =
  ({ log, metrics, onLost }: Reporting, { topic, group }: { topic: string; group: string }): ReportLost =>
  ({ partition, reason, from, to, records = Number(to - from) }) => {
    if (records <= 0) return;
    metrics.count('relay_bus_lost_records_total', { topic, reason }, records);
    log.error({ topic, group, partition, from: String(from), to: String(to), records }, texts[reason]);
    onLost?.({ topic, reason, records });
  };
