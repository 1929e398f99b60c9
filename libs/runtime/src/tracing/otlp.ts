import { SpanKind, SpanStatusCode, TraceFlags, type HrTime, type SpanContext } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';
import type { FinishedSpan } from './port.ts';

/** Destination of spans, and the service they come from. */
export interface OtlpOptions {
  /** Endpoint that accepts spans by POST. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Name of the service. */
  readonly service: string;
  /** With the proxy settings: HTTPS_PROXY, HTTP_PROXY, NO_PROXY. */
  readonly env: NodeJS.ProcessEnv;
  /** Called for each batch with whether the collector accepted it. */
  readonly onBatch: (taken: boolean) => void;
}

/** Sends spans to a collector in batches. */
export interface OtlpSender {
  take(span: FinishedSpan): void;
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

/** Time limit of one batch with its retries, ms. */
const batchMs = 8_000;
const batchEveryMs = 2_000;
const maxQueued = 2_048;

const timeOf = (ms: number): HrTime => {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
};

const contextOf = (traceId: string, spanId: string): SpanContext => ({
  traceId,
  spanId,
  traceFlags: TraceFlags.SAMPLED,
});

const readableOf = (span: FinishedSpan, resource: ReadableSpan['resource']): ReadableSpan => {
  const { name, traceId, spanId, parentId, startedAt, durationMs, attributes, failure } = span;
  return {
    name,
    kind: SpanKind.INTERNAL,
    spanContext: () => contextOf(traceId, spanId),
    ...(parentId === undefined ? {} : { parentSpanContext: contextOf(traceId, parentId) }),
    startTime: timeOf(startedAt),
    endTime: timeOf(startedAt + durationMs),
    duration: timeOf(durationMs),
    ended: true,
    status: failure === undefined ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: failure },
    attributes: failure === undefined ? attributes : { ...attributes, 'error.type': failure },
    links: [],
    events: [],
    resource,
    instrumentationScope: { name: 'ranger-relay' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
};

/** An exporter that reports the result of each batch. */
const watched = (exporter: SpanExporter, onBatch: OtlpOptions['onBatch']): SpanExporter => ({
  export: (spans, done) =>
    exporter.export(spans, (result) => {
      onBatch(result.code === 0);
      done(result);
    }),
  shutdown: () => exporter.shutdown(),
});

/** Connects to a collector. Loads the SDK: import this module only when tracing is on. */
export const openOtlp = ({ url, headers, service, env, onBatch }: OtlpOptions): OtlpSender => {
  const resource = resourceFromAttributes({ 'service.name': service });
  const exporter = new OTLPTraceExporter({
    url,
    headers: { ...headers },
    timeoutMillis: batchMs,
    httpAgentOptions: { keepAlive: true, proxyEnv: { ...env } },
  });
  const processor = new BatchSpanProcessor({
    exporter: watched(exporter, onBatch),
    scheduledDelayMillis: batchEveryMs,
    exportTimeoutMillis: batchMs + batchEveryMs,
    maxQueueSize: maxQueued,
  });
  return {
    take: (span) => processor.onEnd(readableOf(span, resource)),
    close: () => processor.shutdown(),
  };
};
