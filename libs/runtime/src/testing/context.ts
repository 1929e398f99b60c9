import { type Clock, systemClock } from '../clock.ts';
import { createConditions } from '../conditions/table.ts';
import { type Context, createContext } from '../context.ts';
import { createLogger, type Logger } from '../logger.ts';
import type { FinishedSpan, Tracing } from '../tracing/port.ts';
import { recordSpans } from '../tracing/create.ts';
import { seededRandom } from './seeded-random.ts';

/** One line of a recording logger. */
export type RecordedLine = Readonly<Record<string, unknown>>;

/** A logger that drops every line. */
export const silentLogger = (): Logger => createLogger({ level: 'silent', service: 'test' });

/** A logger that records its lines as the JSON objects that would be printed. */
export const recordingLogger = (): { log: Logger; lines: RecordedLine[] } => {
  const lines: RecordedLine[] = [];
  const log = createLogger({
    level: 'debug',
    service: 'test',
    write: (line) => lines.push(JSON.parse(line) as RecordedLine),
  });
  return { log, lines };
};

/** Tracing that records its spans, in the order in which they ended. */
export const recordingTracing = (clock: Clock = systemClock): { tracing: Tracing; spans: FinishedSpan[] } => {
  const spans: FinishedSpan[] = [];
  return { tracing: recordSpans({ clock, random: seededRandom(7) }, (span) => spans.push(span)), spans };
};

/** A context for tests: silent log, seeded randomness, own metrics; override any part. */
export const testContext = (parts: Partial<Context> = {}): Context => {
  const { metrics, conditions } = parts;
  const made = {
    // New metrics would watch the event loop and the garbage collector, for as long as the process lives.
    ...createContext({
      service: 'test',
      level: 'silent',
      ...(metrics ? { metrics } : {}),
      ...(conditions ? { conditions } : {}),
    }),
    log: silentLogger(),
    random: seededRandom(1),
    ...parts,
  };
  return { ...made, conditions: conditions ?? createConditions(made) };
};
