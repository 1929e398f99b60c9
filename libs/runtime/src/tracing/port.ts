const ignore = (): void => undefined;

/** Traces nothing; a caller's trace parent is passed on as it came. */
export const noTracing: Tracing = {
  span: async (_, { parent }, work) => work({ traceparent: parent, fail: ignore }),
};

const form = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/;

/** Members of a W3C trace parent. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether the trace is recorded. */
  readonly sampled: boolean;
}

/** Reads a trace parent; undefined when it is malformed or absent. */
export const readTraceparent = (text: string | undefined): TraceParent | undefined => {
  const [, traceId = '', spanId = '', flags = ''] = form.exec(text ?? '') ?? [];
  return traceId === '' ? undefined : { traceId, spanId, sampled: Number.parseInt(flags, 16) % 2 === 1 };
};

/** Writes a trace parent. */
export const writeTraceparent = ({ traceId, spanId, sampled }: TraceParent): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;

/** What is told about a span; texts pass the redaction of logs, and keys that say secret are masked. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** A piece of work that is being traced. */
export interface Span {
  /** W3C trace parent for calls and records that belong to this work; the caller's own, or none, while nothing is traced. */
  readonly traceparent: string | undefined;
  /** Marks the work as failed, by a registered code. A rejection of the work does the same by itself. */
  fail(code: string): void;
}

/** What a span starts with. */
export interface SpanOptions {
  /** W3C trace parent of what caused the work; a malformed one counts as none. */
  readonly parent?: string | undefined;
  readonly attributes?: SpanAttributes;
}

/** Traces pieces of work. What is inside another gets the outer one's `traceparent` as its parent. */
export interface Tracing {
  /** Runs `work` and hands back what it returns or throws, whatever becomes of its trace. */
  span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
}

/** A span that has ended. */
export interface FinishedSpan {
  readonly name: string;
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** 16 hex digits; undefined for the first of its trace. */
  readonly parentId: string | undefined;
  /** ms since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly attributes: SpanAttributes;
  /** Why the work failed; undefined when it did not. */
  readonly failure: string | undefined;
}
