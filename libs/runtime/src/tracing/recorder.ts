import { isRelayError } from '@ranger-relay/errors';
import type { Clock } from '../clock.ts';
import type { Random } from '../random.ts';
import { redact } from '../redact.ts';
import {
  type FinishedSpan,
  readTraceparent,
  type SpanOptions,
  type TraceParent,
  type Tracing,
  writeTraceparent,
} from './port.ts';

/** The dependencies of recording spans. */
export interface RecorderDependencies {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly random: Pick<Random, 'uuid'>;
  /** Receives each span when it ends; must not block and must not throw. */
  readonly take: (span: FinishedSpan) => void;
}

/** Maximum length of an attribute text, in characters. */
const maxText = 500;

/** The version digit of a UUID ensures that neither half is all zeros. */
const hexOf = (random: Pick<Random, 'uuid'>, digits: number): string =>
  random.uuid().replaceAll('-', '').slice(0, digits);

const childOf = (parent: TraceParent | undefined, random: Pick<Random, 'uuid'>): TraceParent => ({
  traceId: parent?.traceId ?? hexOf(random, 32),
  spanId: hexOf(random, 16),
  sampled: parent?.sampled ?? true,
});

const codeOf = (error: unknown): string => (isRelayError(error) ? error.code : 'internal');

// A TracerProvider must be loaded before the first span; these begin at once, also while the SDK loads.
/** Tracing that exports every span of a recorded trace; the caller of a trace decides whether it is recorded. */
export const recordSpans = ({ clock, random, take }: RecorderDependencies): Tracing => ({
  async span(name, { parent, attributes = {} }: SpanOptions, work) {
    const above = readTraceparent(parent);
    const own = childOf(above, random);
    const startedAt = clock.now();
    const start = clock.monotonic();
    let failure: string | undefined;
    try {
      return await work({
        traceparent: writeTraceparent(own),
        fail: (code) => {
          failure ??= code;
        },
      });
    } catch (error) {
      failure ??= codeOf(error);
      throw error;
    } finally {
      const durationMs = Math.max(0, clock.monotonic() - start);
      const { traceId, spanId } = own;
      const ids = { traceId, spanId, parentId: above?.spanId };
      if (own.sampled) take({ name, ...ids, startedAt, durationMs, attributes: redact(attributes, maxText), failure });
    }
  },
});
