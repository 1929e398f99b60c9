/** Counters of the services that the page draws; missing ones are null. */
export interface FlowCounters {
  /** POSTs of the vendor that were answered with 200. */
  readonly posts: number | null;
  /** Records that the ingester stored on the bus. */
  readonly stored: number | null;
  /** Repeats that were dropped. */
  readonly duplicates: number | null;
}

const sample = /^(\w+)(?:\{([^}]*)\})? ([-+.\deE]+|NaN|[+-]Inf)(?: \d+)?$/;

/**
 * Sum of a metric's samples in an exposition text, of those whose labels hold every given pair; null when there is none.
 */
export const counterSum = (
  text: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | null => {
  const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
  let sum: number | null = null;
  for (const line of text.split('\n')) {
    if (!line.startsWith(name)) continue;
    const [, found, held = '', value = ''] = sample.exec(line) ?? [];
    if (found !== name || !wanted.every((pair) => held.split(',').includes(pair))) continue;
    sum = (sum ?? 0) + Number(value);
  }
  return sum;
};

/** The page's counters out of the exposition text of the process. */
export const flowCounters = (text: string): FlowCounters => {
  const observations = counterSum(text, 'relay_webhook_events_total', { outcome: 'observation' });
  const messages = counterSum(text, 'relay_webhook_events_total', { outcome: 'message' });
  return {
    posts: counterSum(text, 'relay_webhook_requests_total', { status: '200' }),
    stored: observations === null && messages === null ? null : (observations ?? 0) + (messages ?? 0),
    duplicates: counterSum(text, 'relay_events_duplicate_total'),
  };
};
