import { systemClock, type Clock } from './clock.ts';
import { createHealth, type Health } from './health.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import { createLogger, type Logger } from './logger.ts';
import { metricList, type MetricName } from './metric-list.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { systemRandom, type Random } from './random.ts';
import { createTracing } from './tracing/create.ts';
import type { TracingConfig } from './tracing/env.ts';
import type { Tracing } from './tracing/port.ts';

/** The shared dependencies that every part of a process receives from its composition root. */
export interface Context {
  /** Name of the component. */
  readonly service: string;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics<MetricName>;
  readonly health: Health;
  readonly lifecycle: Lifecycle;
  readonly tracing: Tracing;
}

/** The options of creating a context. */
export interface ContextOptions {
  readonly service: string;
  /** Level of the log. */
  readonly level: string;
  /** Receives each log line; defaults to standard output. */
  readonly write?: (line: string) => void;
  /** Destination of spans; without it nothing is traced. */
  readonly traces?: Partial<TracingConfig>;
  /** Metrics shared with other contexts of the process; defaults to a new registry. */
  readonly metrics?: Metrics<MetricName>;
}

/** Creates the context of a real process. */
export const createContext = ({ traces = {}, metrics, ...options }: ContextOptions): Context => {
  const log = createLogger(options);
  const lifecycle = createLifecycle(log);
  const { service } = options;
  return {
    service,
    log,
    clock: systemClock,
    random: systemRandom,
    metrics: metrics ?? createMetrics(metricList, true),
    health: createHealth(),
    lifecycle,
    // Registered first, so that tracing stops last, after everything that is traced.
    tracing: createTracing(traces, { service, clock: systemClock, random: systemRandom, log, lifecycle }),
  };
};
