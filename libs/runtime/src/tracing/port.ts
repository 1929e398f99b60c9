const ignore = (): void => undefined;

/** Traces nothing; passes on the caller's trace parent unchanged. */
export const noTracing: Tracing = {
  span: async (_, { parent }, work) => work({ traceparent: parent, fail: ignore }),
};

const form = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/;

/** The fields of a W3C trace parent. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether the trace is recorded. */
  readonly sampled: boolean;
}

/** Parses a trace parent; undefined when it is malformed or absent. */
export const readTraceparent = (text: string | undefined): TraceParent | undefined => {
  const [, traceId = '', spanId = '', flags = ''] = form.exec(text ?? '') ?? [];
  return traceId === '' ? undefined : { traceId, spanId, sampled: Number.parseInt(flags, 16) % 2 === 1 };
};

/** Formats a trace parent. */
export const writeTraceparent = ({ traceId, spanId, sampled }: TraceParent): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;

/** Attributes of a span; texts are redacted as in logs, and values of secret keys are masked. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** A span in progress. */
export interface Span {
  /** W3C trace parent for calls and records of this work. While tracing is off, it is the caller's own, or undefined. */
  readonly traceparent: string | undefined;
  /** Marks the work as failed, with a registered code. A rejection of the work has the same effect. */
  fail(code: string): void;
}

/** The start data of a span. */
export interface SpanOptions {
  /** W3C trace parent of the cause of the work; a malformed one is ignored. */
  readonly parent?: string | undefined;
  readonly attributes?: SpanAttributes;
}

/** Traces work. A nested span has the `traceparent` of the outer span as its parent. */
export interface Tracing {
  /** Runs `work` and returns or throws its result, whatever happens to the trace. */
  span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
}

/** A span that has ended. */
export interface FinishedSpan {
  readonly name: string;
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** 16 hex digits; undefined for the root span. */
  readonly parentId: string | undefined;
  /** ms since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly attributes: SpanAttributes;
  /** Error code of the work; undefined when it succeeded. */
  readonly failure: string | undefined;
}
