export { addHealthRoutes, baseApp } from './app.ts';
export { BoundedMap } from './async/bounded-map.ts';
export { createKeyedMutex, type KeyedMutex, mapWithConcurrency, pLimit } from './async/limit.ts';
export { repeat, repeatAtRate, type StopRepeating } from './async/repeat.ts';
export { type Backoff, delayFor, pause, retry, type RetryPolicy } from './async/retry.ts';
export { createSingleflight, shareFlight, type Singleflight } from './async/singleflight.ts';
export { createDeadline, type Deadline, endsWithin, runWithin, within } from './async/within.ts';
export { bodyStreamOf, incomingOf } from './app.ts';
export { buildTime } from './clock.ts';
export { sleepWith, systemClock, type Clock, type Timer } from './clock.ts';
export { closestTo } from './closest.ts';
export {
  type ConditionName,
  conditionList,
  conditionSpec,
  integrationOfCondition,
  isConditionName,
} from './conditions/catalogue.ts';
export type { ConditionSpec, Details, Severity } from './conditions/spec.ts';
export { type Causes, findCauses, isAboutSos } from './conditions/causes.ts';
export {
  type ConditionKey,
  type Conditions,
  type ConditionState,
  createConditions,
  mergeConditions,
  type Probe,
  runProbe,
  remedyOf,
  sentenceOf,
} from './conditions/table.ts';
export { createContext, type Context, type ContextOptions } from './context.ts';
export * as kinds from './env/kinds.ts';
export { blockListOf, type Address, type Kind } from './env/kinds.ts';
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
  type Variable,
} from './env/table.ts';
export { misspeltVariables, unknownVariables } from './env/unknown.ts';
export { parseHttpDate, parseRetryAfter } from './http-time.ts';
export { createHealth, type Check, type Health } from './context.ts';
export { createLifecycle, type Lifecycle } from './context.ts';
export { lineWriter, tolerateErrors } from './line-stream.ts';
export { createLogger, type Logger } from './logger.ts';
export { metricList, type MetricName } from './metric-list.ts';
export { createMetrics, type Metrics, type MetricSpec, type MetricValue } from './metrics.ts';
export {
  endOfLife,
  endSignal,
  runProcess,
  unexpectedFailure,
  type Call,
  type EndReason,
  type ProcessSpec,
} from './process.ts';
export { type HeldPorts, holdPorts } from './ports.ts';
export { systemRandom, type Random } from './random.ts';
export { createRateLimitedLog, type RateLimitedLog } from './rate-limited-log.ts';
export { readNumber } from './read-number.ts';
export { mask, redact, redactText } from './redact.ts';
export { serveService, type ListenConfig } from './serve.ts';
export {
  defaultRequestTimeoutMs,
  type ListenOptions,
  serve,
  type Serve,
  type ServeOptions,
  type Serving,
} from './serve.ts';
export { tracingEnv, type TracingConfig } from './tracing/env.ts';
export { noTracing } from './tracing/port.ts';
export type { FinishedSpan, Span, SpanAttributes, SpanOptions, Tracing } from './tracing/port.ts';
export { readTraceparent, writeTraceparent, type TraceParent } from './tracing/port.ts';
