import { createContext, createMetrics, metricList, type Context, type TracingConfig } from '@ranger-relay/runtime';

/** Contexts of one process: one per service, so that each has its own health and teardown. Their metrics are one: each port shows all. */
export interface Contexts {
  of(service: string): Context;
  all(): readonly Context[];
  readonly metrics: Context['metrics'];
  /** Stops every service, newest first. */
  stop(): Promise<void>;
}

/** Makes contexts whose logs go to `write`, a line at a time, and whose spans go where the configuration says. */
export const createContexts = (
  { LOG_LEVEL: level, ...traces }: TracingConfig & { readonly LOG_LEVEL: string },
  write: (line: string) => void,
): Contexts => {
  const made: Context[] = [];
  const metrics = createMetrics(metricList, true);
  return {
    of(service) {
      const context = createContext({ service, level, write, traces, metrics });
      made.push(context);
      return context;
    },
    all: () => made,
    metrics,
    async stop() {
      for (const { health } of made) health.drain();
      for (const { lifecycle } of made.toReversed()) await lifecycle.stop();
    },
  };
};

/** Shows the process as ready while all of its services are. Called when these have registered what they show: the last word counts. */
export const measureReady = ({ all, metrics }: Pick<Contexts, 'all' | 'metrics'>): void =>
  metrics.onScrape(() => metrics.set('relay_ready', all().every(({ health }) => health.ready().ok) ? 1 : 0));
