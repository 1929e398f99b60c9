import { createLogger, type Logger } from './logger.ts';
import { type Clock, systemClock } from './clock.ts';
import { type Conditions, createConditions } from './conditions/table.ts';
import { metricList, type MetricName } from './metric-list.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { type Random, systemRandom } from './random.ts';
import { serve as serveAnew, type Serve } from './serve.ts';
import { createTracing } from './tracing/create.ts';
import type { TracingConfig } from './tracing/env.ts';
import type { Tracing } from './tracing/port.ts';

/** Shutdown of one process or service, in reverse order of construction. */
export interface Lifecycle {
  /** Registers a shutdown task. It runs before all tasks registered earlier, or immediately when the shutdown has begun. */
  onStop(name: string, stop: () => void | Promise<void>): void;
  /** Runs every task once, newest first; a failing task is logged and the next one runs. */
  stop(): Promise<void>;
}

/** Creates a lifecycle. */
export const createLifecycle = (log: Logger): Lifecycle => {
  const steps: { name: string; stop: () => void | Promise<void> }[] = [];
  let stopping: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    for (let step = steps.pop(); step; step = steps.pop()) {
      const { name, stop } = step;
      try {
        await stop();
      } catch (error) {
        log.error({ err: error, step: name }, 'a teardown step failed');
      }
    }
  };
  return {
    onStop(name, stop) {
      steps.push({ name, stop });
      if (stopping) stopping = stopping.then(run);
    },
    stop: () => (stopping ??= run()),
  };
};

/** One condition of readiness or liveness. */
export interface Check {
  readonly name: string;
  /** Returns true while the condition holds. Must return immediately. */
  readonly ok: () => boolean;
}

/** Readiness and liveness of one process. */
export interface Health {
  /** The process accepts work: it has joined the bus and is not draining. */
  addReadiness(check: Check): void;
  /** The process can work: its consumers run. */
  addLiveness(check: Check): void;
  /** Makes the process not ready, because it is shutting down. */
  drain(): void;
  draining(): boolean;
  ready(): { ok: boolean; failing: string[] };
  live(): { ok: boolean; failing: string[] };
}

/** Creates the health of one process. */
export const createHealth = (): Health => {
  const readiness: Check[] = [];
  const liveness: Check[] = [];
  let draining = false;
  const answer = (checks: Check[]): { ok: boolean; failing: string[] } => {
    const failing = checks.filter((check) => !check.ok()).map((check) => check.name);
    return { ok: failing.length === 0, failing };
  };
  return {
    addReadiness: (check) => void readiness.push(check),
    addLiveness: (check) => void liveness.push(check),
    drain: () => {
      draining = true;
    },
    draining: () => draining,
    ready: () => answer(draining ? [...readiness, { name: 'draining', ok: () => false }] : readiness),
    live: () => answer(liveness),
  };
};

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
  /** What is wrong now. The services of one process share it. */
  readonly conditions: Conditions;
  /** Serves an HTTP app of the process on a port. */
  readonly serve: Serve;
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
  /** Tells the process from others of the service, in its conditions; absent where there are no others. */
  readonly host?: string;
  /** Metrics shared with other contexts of the process; defaults to a new registry. */
  readonly metrics?: Metrics<MetricName>;
  /** Conditions shared with other contexts of the process; defaults to a new table. */
  readonly conditions?: Conditions;
  /** Serves apps on ports that the process already holds; by default each gets a new one. */
  readonly serve?: Serve;
}

/** Creates the context of a real process. */
export const createContext = ({ traces = {}, conditions, serve = serveAnew, ...options }: ContextOptions): Context => {
  const log = createLogger(options);
  const lifecycle = createLifecycle(log);
  const { service, host, metrics = createMetrics(metricList, true) } = options;
  return {
    service,
    log,
    clock: systemClock,
    random: systemRandom,
    metrics,
    conditions: conditions ?? createConditions({ clock: systemClock, log, metrics, host }),
    health: createHealth(),
    lifecycle,
    // Registered first, so that tracing stops last, after everything that is traced.
    tracing: createTracing(traces, {
      service,
      clock: systemClock,
      random: systemRandom,
      log,
      lifecycle,
      env: process.env,
    }),
    serve,
  };
};
