import { type LogFn, type Logger as PinoLogger, pino } from 'pino';
import { redact, redactText } from './redact.ts';
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
