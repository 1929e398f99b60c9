import type { MetricName, Metrics } from '@ranger-relay/runtime';
import type { Subscription } from '../port.ts';
import type { RunningPartition } from './partition.ts';

/** A partition whose records cannot be fetched for so long does no work, ms. */
const notReadyMs = 30_000;

/** Records of a partition can be fetched, or could be a moment ago. */
export const canFetch = (partition: Pick<RunningPartition, 'failingMs'>): boolean => partition.failingMs() < notReadyMs;

/** The oldest record of several partitions that is not done, ms since 1970; null when none waits. */
export const oldestOf = (partitions: readonly Pick<RunningPartition, 'oldest'>[]): number | null => {
  const oldest = Math.min(...partitions.map((partition) => partition.oldest() ?? Infinity));
  return oldest === Infinity ? null : oldest;
};

/** Records of several partitions that are not done. */
export const lagOf = async (partitions: readonly Pick<RunningPartition, 'lag'>[]): Promise<number> =>
  (await Promise.all(partitions.map((partition) => partition.lag()))).reduce((sum, lag) => sum + lag, 0);

/** Shows the lag of a subscription at each scrape. */
export const showLag = (
  metrics: Metrics<MetricName>,
  labels: { readonly topic: string; readonly group: string },
  subscription: Pick<Subscription, 'lag'>,
): void =>
  metrics.onScrape(() =>
    subscription.lag().then(
      (lag) => metrics.set('relay_bus_lag_records', lag, { topic: labels.topic, group: labels.group }),
      // What cannot be counted now keeps its last value; that the bus is away shows elsewhere.
      () => undefined,
    ),
  );
