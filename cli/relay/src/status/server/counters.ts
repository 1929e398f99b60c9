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

type Labels = Readonly<Record<string, string>>;

/** The samples of a metric in an exposition text, of those whose labels hold every given pair. */
function* samplesOf(text: string, name: string, labels: Labels): Generator<{ held: string[]; value: number }> {
  const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
  for (const line of text.split('\n')) {
    if (!line.startsWith(name)) continue;
    const [, found, all = '', value = ''] = sample.exec(line) ?? [];
    const held = all.split(',');
    if (found === name && wanted.every((pair) => held.includes(pair))) yield { held, value: Number(value) };
  }
}

/** Sum of a metric's samples with these labels; null when there is none. */
export const counterSum = (text: string, name: string, labels: Labels = {}): number | null => {
  let sum: number | null = null;
  for (const { value } of samplesOf(text, name, labels)) sum = (sum ?? 0) + value;
  return sum;
};

/** Sums of a metric's samples by the value of one label. */
export const countsBy = (text: string, name: string, label: string, labels: Labels = {}): Map<string, number> => {
  const sums = new Map<string, number>();
  for (const { held, value } of samplesOf(text, name, labels)) {
    const named = held.find((pair) => pair.startsWith(`${label}="`))?.slice(label.length + 2, -1);
    if (named !== undefined) sums.set(named, (sums.get(named) ?? 0) + value);
  }
  return sums;
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
