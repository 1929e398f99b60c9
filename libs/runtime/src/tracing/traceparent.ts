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
