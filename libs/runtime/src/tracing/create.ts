import { isRelayError } from '@ranger-relay/errors';
import type { Random } from '../random.ts';
import { redact } from '../redact.ts';
import { endsWithin } from '../async/within.ts';
import type { Context } from '../context.ts';
import type { Logger } from '../logger.ts';
import {
  type FinishedSpan,
  noTracing,
  readTraceparent,
  type SpanOptions,
  type TraceParent,
  type Tracing,
  writeTraceparent,
} from './port.ts';
import { tracesHeaders, tracesUrl, type TracingConfig } from './env.ts';
import type { OtlpSender } from './otlp.ts';

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
export const recordSpans = (
  { clock, random }: Pick<Context, 'clock' | 'random'>,
  /** Receives each span when it ends; must not block and must not throw. */
  take: (span: FinishedSpan) => void,
): Tracing => ({
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

/** Logs once when the collector becomes unavailable, and once when it is available again. */
export const outageTeller = (log: Pick<Logger, 'warn' | 'info'>): ((taken: boolean) => void) => {
  let lost = false;
  return (taken) => {
    if (!taken && !lost) log.warn('the collector refuses spans; they are dropped until it accepts them');
    if (taken && lost) log.info('the collector accepts spans again');
    lost = !taken;
  };
};

/** What tracing takes of a context; `env` may have proxy settings: HTTPS_PROXY, HTTP_PROXY, NO_PROXY. */
type TracingDependencies = Pick<Context, 'service' | 'clock' | 'random' | 'log' | 'lifecycle'> & {
  readonly env: NodeJS.ProcessEnv;
};

/** How long the shutdown waits for the collector, ms. */
const closeMs = 2_000;
const maxWaiting = 2_048;

/** Buffers spans that end while the connection to the collector is being opened. */
const whenOpen = (opening: Promise<OtlpSender>): { take: (span: FinishedSpan) => void; close: () => Promise<void> } => {
  let waiting: FinishedSpan[] = [];
  let take = (span: FinishedSpan): void => {
    if (waiting.length < maxWaiting) waiting.push(span);
  };
  const opened = opening.then((sender) => {
    take = sender.take;
    for (const span of waiting) take(span);
    waiting = [];
    return sender;
  });
  opened.catch(() => undefined);
  return { take: (span) => take(span), close: async () => (await opened).close() };
};

/**
 * Creates tracing according to the environment: off, without loading the SDK, unless a collector is configured. Spans are sent in the
 * background; if the collector is unavailable, they are dropped and one line is logged. Remaining spans are sent at shutdown, for at most
 * two seconds.
 */
export const createTracing = (config: Partial<TracingConfig>, parts: TracingDependencies): Tracing => {
  const url = tracesUrl(config);
  if (url === undefined) return noTracing;
  const { service, clock, random, log, lifecycle, env } = parts;
  const headers = tracesHeaders(config.OTEL_EXPORTER_OTLP_HEADERS);
  const onBatch = outageTeller(log);
  const { take, close } = whenOpen(
    import('./otlp.ts').then(({ openOtlp }) => openOtlp({ url, headers, service, env, onBatch })),
  );
  lifecycle.onStop('spans', async () => {
    await endsWithin(
      { clock, ms: closeMs },
      close().catch(() => undefined),
    );
  });
  return recordSpans({ clock, random }, take);
};
