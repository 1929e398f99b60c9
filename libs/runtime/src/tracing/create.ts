import { endsWithin } from '../async/within.ts';
import type { Clock } from '../clock.ts';
import type { Lifecycle } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import type { Random } from '../random.ts';
import { tracesHeaders, tracesUrl, type TracingConfig } from './env.ts';
import type { OtlpSender } from './otlp.ts';
import { type FinishedSpan, noTracing, type Tracing } from './port.ts';
import { recordSpans } from './recorder.ts';

/** Logs once when the collector becomes unavailable, and once when it is available again. */
export const outageTeller = (log: Pick<Logger, 'warn' | 'info'>): ((taken: boolean) => void) => {
  let lost = false;
  return (taken) => {
    if (!taken && !lost) log.warn('the collector refuses spans; they are dropped until it accepts them');
    if (taken && lost) log.info('the collector accepts spans again');
    lost = !taken;
  };
};

/** The dependencies of tracing one service. */
interface TracingDependencies {
  readonly service: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Pick<Logger, 'warn' | 'info'>;
  readonly lifecycle: Pick<Lifecycle, 'onStop'>;
}

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
  const { service, clock, random, log, lifecycle } = parts;
  const headers = tracesHeaders(config.OTEL_EXPORTER_OTLP_HEADERS);
  const onBatch = outageTeller(log);
  const { take, close } = whenOpen(
    import('./otlp.ts').then(({ openOtlp }) => openOtlp({ url, headers, service, onBatch })),
  );
  lifecycle.onStop('spans', async () => {
    await endsWithin(
      { clock, ms: closeMs },
      close().catch(() => undefined),
    );
  });
  return recordSpans({ clock, random, take });
};
