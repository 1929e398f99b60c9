export { addHealthRoutes, baseApp, bodyStreamOf, incomingOf } from './app.ts';
export { BoundedMap } from './async/bounded-map.ts';
export { createKeyedMutex, mapWithConcurrency, pLimit, type KeyedMutex } from './async/limit.ts';
export { repeat, repeatAtRate } from './async/repeat.ts';
export { delayFor, pause, retry, type Backoff, type RetryPolicy } from './async/retry.ts';
export { createSingleflight, shareFlight, type Singleflight } from './async/singleflight.ts';
export { createDeadline, endsWithin, runWithin, within } from './async/within.ts';
export { buildTime, sleepWith, systemClock, type Clock, type Timer } from './clock.ts';
export { closestTo } from './closest.ts';
export {
  conditionList,
  conditionSpec,
  integrationOfCondition,
  isConditionName,
  type ConditionName,
} from './conditions/catalogue.ts';
export type { ConditionSpec, Details } from './conditions/spec.ts';
export { findCauses, isAboutSos, type Causes } from './conditions/causes.ts';
export {
  createConditions,
  mergeConditions,
  runProbe,
  remedyOf,
  sentenceOf,
  type ConditionKey,
  type Conditions,
  type ConditionState,
  type Probe,
} from './conditions/table.ts';
export { createContext, createHealth, createLifecycle, type Context, type Check, type Health } from './context.ts';
export * as kinds from './env/kinds.ts';
export { blockListOf, splitList, type Address, type Kind } from './env/kinds.ts';
export { commonEnv, kafkaEnv, kvEnv, minTokenLength, platformEnv } from './env/shared.ts';
export {
  addProblems,
  envHelp,
  envMarkdown,
  exceptAssumed,
  parseEnv,
  readEnv,
  refuseEnv,
  type Env,
  type EnvProblem,
  type EnvTable,
  type ReadEnv,
} from './env/table.ts';
export { misspeltVariables, unknownVariables } from './env/unknown.ts';
export { parseHttpDate, parseRetryAfter } from './http-time.ts';
export { lineWriter, tolerateErrors } from './line-stream.ts';
export { createLogger, type Logger } from './logger.ts';
export { metricList, type MetricName } from './metric-list.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export { endOfLife, endSignal, runProcess, unexpectedFailure, type Call, type EndReason } from './process.ts';
export { holdPorts, type HeldPorts } from './ports.ts';
export { systemRandom, type Random } from './random.ts';
export { createRateLimitedLog, type RateLimitedLog } from './rate-limited-log.ts';
export { readNumber } from './read-number.ts';
export { mask, redact, redactText } from './redact.ts';
export {
  serveService,
  defaultRequestTimeoutMs,
  type ListenConfig,
  type ListenOptions,
  type Serve,
  type Serving,
} from './serve.ts';
export { tracingEnv, type TracingConfig } from './tracing/env.ts';
export {
  noTracing,
  readTraceparent,
  writeTraceparent,
  type FinishedSpan,
  type Span,
  type Tracing,
} from './tracing/port.ts';
