import { createContext, createMetrics, metricList, type Context, type TracingConfig } from '@ranger-relay/runtime';

/** Contexts of one process: one per service, so that each has its own health, metrics and teardown. */
export interface Contexts {
  of(service: string): Context;
  all(): readonly Context[];
  /** Stops every service, newest first. */
  stop(): Promise<void>;
}

/** Bus, store and platform are no service's: their metrics are shown with those of the forwarder, whose port is there for that alone. */
const shownTogether: ReadonlySet<string> = new Set(['up', 'platform', 'observation-forwarder']);

/** Makes contexts whose logs go to `write`, a line at a time, and whose spans go where the configuration says. */
export const createContexts = (
  { LOG_LEVEL: level, ...traces }: TracingConfig & { readonly LOG_LEVEL: string },
  write: (line: string) => void,
): Contexts => {
  const made: Context[] = [];
  const metrics = createMetrics(metricList, true);
  return {
    of(service) {
      const shown = shownTogether.has(service) ? { metrics } : {};
      const context = createContext({ service, level, write, traces, ...shown });
      made.push(context);
      return context;
    },
    all: () => made,
    async stop() {
      for (const { health } of made) health.drain();
      for (const { lifecycle } of made.toReversed()) await lifecycle.stop();
    },
  };
};
