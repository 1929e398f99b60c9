import { type LogFn, type Logger as PinoLogger, pino } from 'pino';
import { redact, redactText } from './redact.ts';
import type { Clock } from './clock.ts';
import { lineWriter } from './line-stream.ts';

/** The log: one JSON object per line. It must not contain message texts, exact positions or secrets. */
export interface Logger {
  readonly debug: LogFn;
  readonly info: LogFn;
  readonly warn: LogFn;
  readonly error: LogFn;
  readonly fatal: LogFn;
  /** A child log with these fields on every line. */
  child(fields: Readonly<Record<string, unknown>>): Logger;
}

/** The options of a log. */
interface LoggerOptions {
  readonly service: string;
  /** `debug`, `info`, `warn`, `error` or `silent`. */
  readonly level: string;
  /** Receives each complete line, with its line feed; defaults to standard output. */
  readonly write?: (line: string) => void;
  /** Time of a line, ms since 1970; defaults to that of the machine. */
  readonly now?: () => number;
}

/** Maximum length of a field's text, in characters. */
const maxText = 2_000;

const clean = (value: unknown): unknown => {
  if (typeof value === 'string') return redactText(value, maxText);
  return value instanceof Error ? { err: redact(value, maxText) } : redact(value, maxText);
};

/** If an error is the only argument, its message becomes the message of the line. */
const cleanAll = (args: readonly unknown[]): unknown[] => {
  const [first] = args;
  return [...args.map(clean), ...(first instanceof Error && args.length === 1 ? [clean(first.message)] : [])];
};

/** Bindings of a child bypass the hook below, so they are redacted here. */
const wrap = (log: PinoLogger): Logger => ({
  debug: log.debug.bind(log),
  info: log.info.bind(log),
  warn: log.warn.bind(log),
  error: log.error.bind(log),
  fatal: log.fatal.bind(log),
  child: (fields) => wrap(log.child(redact(fields, maxText))),
});

/** Creates the log of one process. */
export const createLogger = ({ service, level, write, now = Date.now }: LoggerOptions): Logger => {
  const options = {
    level,
    base: { service },
    // All input of a caller is redacted here: fields, errors, the message and its arguments.
    hooks: {
      logMethod(this: PinoLogger, args: Parameters<LogFn>, method: LogFn): void {
        method.apply(this, cleanAll(args) as Parameters<LogFn>);
      },
    },
    formatters: {
      level: (label: string) => ({ level: label }),
    },
    // Errors are already plain objects at this point.
    serializers: { err: (facts: unknown) => facts },
    timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
  };
  return wrap(pino(options, { write: write ?? lineWriter(process.stdout) }));
};

/** A log that writes one line instead of many similar ones. */
export interface RateLimitedLog {
  /**
   * Writes a warning unless one with this key was written in the same minute. The next line of the key has the number of suppressed lines
   * (`suppressed`). A key names the cause, such as `<integration>.<reason>`; the key itself is not logged.
   */
  warn(key: string, fields: Readonly<Record<string, unknown>>, message: string): void;
  /** Writes an error, with the same limits as `warn`. */
  error(key: string, fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** Limits of the log. */
export interface RateLimit {
  readonly windowMs?: number;
  /** Maximum lines of all keys together in a window. */
  readonly maxLines?: number;
}

/** Creates a log for conditions that can occur once per event: at most one line per key and 60 lines in total per minute. */
export const createRateLimitedLog = (
  { log, clock }: { readonly log: Pick<Logger, 'warn' | 'error'>; readonly clock: Pick<Clock, 'monotonic'> },
  { windowMs = 60_000, maxLines = 60 }: RateLimit = {},
): RateLimitedLog => {
  let end = -Infinity;
  let lines = 0;
  /** Suppressed lines by key, in this window and the previous one. */
  let current = new Map<string, number>();
  let previous = new Map<string, number>();
  /** Lines suppressed because there were too many keys. */
  let overflow = 0;

  const startWindow = (now: number): void => {
    previous = now < end + windowMs ? current : new Map();
    current = new Map();
    end = now + windowMs;
    lines = 0;
    if (overflow > 0) log.warn({ suppressed: overflow }, 'too many different warnings per minute: some were dropped');
    overflow = 0;
  };

  const writer =
    (level: 'warn' | 'error'): RateLimitedLog['warn'] =>
    (key, fields, message) => {
      const now = clock.monotonic();
      if (now >= end) startWindow(now);
      const seen = current.get(key);
      if (seen !== undefined) {
        current.set(key, seen + 1);
        return;
      }
      if (lines >= maxLines) {
        overflow += 1;
        return;
      }
      lines += 1;
      current.set(key, 0);
      const suppressed = previous.get(key) ?? 0;
      log[level]({ ...fields, ...(suppressed > 0 ? { suppressed } : {}) }, message);
    };

  return { warn: writer('warn'), error: writer('error') };
};
