import {
  type Check,
  type Context,
  createConditions,
  createContext,
  createLogger,
  createMetrics,
  metricList,
  type Serve,
  systemClock,
  type TracingConfig,
} from '@ranger-relay/runtime';

/** Contexts of one process: one per service, so that each has its own health and teardown. They share metrics and conditions: each port shows all. */
export interface Contexts {
  of(service: string): Context;
  all(): readonly Context[];
  readonly metrics: Context['metrics'];
  /** Lets services be ready: everything has started. */
  started(): void;
  /** No service is ready while it does not hold. */
  requireForAll(check: Check): void;
  /** Stops every service, newest first. */
  stop(): Promise<void>;
}

/**
 * Creates contexts that log to `write`, line by line, and send spans to the configured collector.
 * @param serve serves apps on ports that the process holds already
 */
export const createContexts = (
  { LOG_LEVEL: level, ...traces }: TracingConfig & { readonly LOG_LEVEL: string },
  write: (line: string) => void,
  serve?: Serve,
): Contexts => {
  const made: Context[] = [];
  let isStarted = false;
  // No caller comes to a process whose start may still fail.
  const required: Check[] = [{ name: 'everything has started', ok: () => isStarted }];
  const metrics = createMetrics(metricList, true);
  const log = createLogger({ service: 'up', level, write });
  const conditions = createConditions({ clock: systemClock, log, metrics });
  return {
    of(service) {
      const shared = { metrics, conditions, ...(serve ? { serve } : {}) };
      const context = createContext({ service, level, write, traces, ...shared });
      for (const check of required) context.health.addReadiness(check);
      made.push(context);
      return context;
    },
    all: () => made,
    metrics,
    started: () => void (isStarted = true),
    requireForAll(check) {
      required.push(check);
      for (const { health } of made) health.addReadiness(check);
    },
    async stop() {
      for (const { health } of made) health.drain();
      for (const { lifecycle } of made.toReversed()) await lifecycle.stop();
    },
  };
};

/** Reports the process as ready while all of its services are. Called after the services have registered, because the last registration wins. */
export const measureReady = ({ all, metrics }: Pick<Contexts, 'all' | 'metrics'>): void =>
  metrics.onScrape(() => metrics.set('relay_ready', all().every(({ health }) => health.ready().ok) ? 1 : 0));
