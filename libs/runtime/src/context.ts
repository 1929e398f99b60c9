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

/** What every part of a process gets from its composition root. */
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

/** How a context is made. */
export interface ContextOptions {
  readonly service: string;
  /** Of the log. */
  readonly level: string;
  /** Takes each line of the log; standard output when left out. */
  readonly write?: (line: string) => void;
  /** Where spans go; nothing is traced when left out. */
  readonly traces?: Partial<TracingConfig>;
  /** Metrics that it shares with other contexts of the process; its own when left out. */
  readonly metrics?: Metrics<MetricName>;
}

/** The context of a real process. */
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
    // First to be registered: it is stopped last, when nothing is traced any more.
    tracing: createTracing(traces, { service, clock: systemClock, random: systemRandom, log, lifecycle }),
  };
};
