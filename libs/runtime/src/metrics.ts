import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Every metric of the product: name → kind, help, labels. Names are `relay_<noun>_<unit>`. */
export interface MetricSpec {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  readonly buckets?: readonly number[];
}

/** A metric's value for one combination of labels. */
export interface MetricValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The metrics of one process, created from the list. */
export interface Metrics<Name extends string> {
  /** Adds to a counter. */
  count(name: Name, labels?: Record<string, string>, by?: number): void;
  /** Sets a gauge. */
  set(name: Name, value: number, labels?: Record<string, string>): void;
  /** Records a value in a histogram. */
  observe(name: Name, value: number, labels?: Record<string, string>): void;
  /** Runs before each scrape, to refresh gauges. */
  onScrape(refresh: () => void | Promise<void>): void;
  /** Returns the values of a metric as they were last set; empty for one with labels that was never counted. */
  values(name: Name): Promise<readonly MetricValue[]>;
  /** Returns the exposition text. */
  render(): Promise<string>;
  readonly contentType: string;
}

const build = (registry: Registry, name: string, spec: MetricSpec): Counter | Gauge | Histogram => {
  const common = { name, help: spec.help, labelNames: [...spec.labels], registers: [registry] };
  if (spec.kind === 'counter') return new Counter(common);
  if (spec.kind === 'gauge') return new Gauge(common);
  return new Histogram({ ...common, ...(spec.buckets ? { buckets: [...spec.buckets] } : {}) });
};

/** Creates a registry from a list of metrics; `withProcess` adds the metrics of the Node runtime (memory, event loop). */
export const createMetrics = <Name extends string>(
  specs: Record<Name, MetricSpec>,
  withProcess = false,
): Metrics<Name> => {
  const registry = new Registry();
  const refreshers: (() => void | Promise<void>)[] = [];
  // The default resolution of 10 ms would be most of the load of an idle process.
  if (withProcess) collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 250 });
  const made = new Map<string, Counter | Gauge | Histogram>(
    (Object.entries(specs) as [Name, MetricSpec][]).map(([name, spec]) => [name, build(registry, name, spec)]),
  );
  return {
    count: (name, labels = {}, by = 1) => (made.get(name) as Counter).inc(labels, by),
    set: (name, value, labels = {}) => (made.get(name) as Gauge).set(labels, value),
    observe: (name, value, labels = {}) => (made.get(name) as Histogram).observe(labels, value),
    onScrape: (refresh) => void refreshers.push(refresh),
    values: async (name) => (await (made.get(name) as Counter).get()).values as readonly MetricValue[],
    async render() {
      for (const refresh of refreshers) await refresh();
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
};
