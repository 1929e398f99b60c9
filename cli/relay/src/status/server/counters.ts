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

/** Sums of a metric by the value of one label, of its values with all of the given labels. */
export const countsBy = async (
  metrics: Pick<Metrics, 'values'>,
  name: MetricName,
  label: string,
  wanted: Readonly<Record<string, string>> = {},
): Promise<Map<string, number>> => {
  const sums = new Map<string, number>();
  for (const { labels, value } of await metrics.values(name)) {
    const key = labels[label];
    if (key === undefined || Object.entries(wanted).some(([other, held]) => labels[other] !== held)) continue;
    sums.set(key, (sums.get(key) ?? 0) + value);
  }
  return sums;
};

/** The page's counters, from the metrics of the process. */
export const flowCounters = async (metrics: Pick<Metrics, 'values'>): Promise<FlowCounters> => {
  const requests = await countsBy(metrics, 'relay_webhook_requests_total', 'status');
  const events = await countsBy(metrics, 'relay_webhook_events_total', 'outcome');
  const duplicates = await metrics.values('relay_events_duplicate_total');
  const stored = [events.get('observation'), events.get('message')].filter((count) => count !== undefined);
  return {
    posts: requests.get('200') ?? null,
    stored: stored.length === 0 ? null : stored.reduce((sum, count) => sum + count, 0),
    duplicates: duplicates[0]?.value ?? null,
  };
};
