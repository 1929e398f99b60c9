import { systemClock, type Clock } from './clock.ts';
import { createHealth, type Health } from './health.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import { createLogger, type Logger } from './logger.ts';
import { metricList, type MetricName } from './metric-list.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { systemRandom, type Random } from './random.ts';

/** What every part of a process gets from its composition root. */
export interface Context {
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics<MetricName>;
  readonly health: Health;
  readonly lifecycle: Lifecycle;
}

/** The context of a real process. */
export const createContext = (options: { service: string; level: string; write?: (line: string) => void }): Context => {
  const log = createLogger(options);
  return {
    log,
    clock: systemClock,
    random: systemRandom,
    metrics: createMetrics(metricList, true),
    health: createHealth(),
    lifecycle: createLifecycle(log),
  };
};
