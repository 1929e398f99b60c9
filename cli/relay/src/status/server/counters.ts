import type { Context, MetricName } from '@ranger-relay/runtime';

type Metrics = Context['metrics'];

/** Counters of the services that the page draws; missing ones are null. */
export interface FlowCounters {
  /** POSTs of the vendor that were answered with 200. */
  readonly posts: number | null;
  /** Records that the ingester stored on the bus. */
  readonly stored: number | null;
  /** Repeats that were dropped. */
  readonly duplicates: number | null;
}

/** The page's counters, from the metrics of the process. */
export const flowCounters = async (metrics: Pick<Metrics, 'values'>): Promise<FlowCounters> => {
  /** Null as long as nothing was counted. */
  const sum = async (name: MetricName, label: string, wanted: readonly string[]): Promise<number | null> => {
    const found = (await metrics.values(name)).filter(({ labels }) => wanted.includes(labels[label] ?? ''));
    return found.length === 0 ? null : found.reduce((total, { value }) => total + value, 0);
  };
  return {
    posts: await sum('relay_webhook_requests_total', 'status', ['200']),
    stored: await sum('relay_webhook_events_total', 'outcome', ['observation', 'message']),
    duplicates: await sum('relay_events_duplicate_total', '', ['']),
  };
};
