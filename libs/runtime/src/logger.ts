import { pino, type Logger as PinoLogger, type LogFn } from 'pino';
import { lineWriter } from './line-writer.ts';
import { redact, redactText } from './redact.ts';

/** The log: one JSON object a line. Never texts of messages, exact positions or secrets. */
export interface Logger {
  readonly debug: LogFn;
  readonly info: LogFn;
  readonly warn: LogFn;
  readonly error: LogFn;
  readonly fatal: LogFn;
  /** The same log with these fields on every line. */
  child(fields: Readonly<Record<string, unknown>>): Logger;
}

/** How the log is made. */
export interface LoggerOptions {
  readonly service: string;
  /** `debug`, `info`, `warn`, `error` or `silent`. */
  readonly level: string;
  /** Takes each finished line, with its line feed; standard output when left out. */
  readonly write?: (line: string) => void;
}

/** Longest text of a field, in characters. */
const maxText = 2_000;

const clean = (value: unknown): unknown => {
  if (typeof value === 'string') return redactText(value, maxText);
  return value instanceof Error ? { err: redact(value, maxText) } : redact(value, maxText);
};

/** A lone error keeps its message as the line's. */
const cleanAll = (args: readonly unknown[]): unknown[] => {
  const [first] = args;
  return [...args.map(clean), ...(first instanceof Error && args.length === 1 ? [clean(first.message)] : [])];
};

/** Bindings of a child go past the hook below, so they are cleaned here. */
const wrap = (log: PinoLogger): Logger => ({
  debug: log.debug.bind(log),
  info: log.info.bind(log),
  warn: log.warn.bind(log),
  error: log.error.bind(log),
  fatal: log.fatal.bind(log),
  child: (fields) => wrap(log.child(redact(fields, maxText))),
});

/** Makes the log of one process. */
export const createLogger = ({ service, level, write }: LoggerOptions): Logger => {
  const options = {
    level,
    base: { service },
    // Everything a caller hands over passes here: fields, errors, the message and what is put into it.
    hooks: {
      logMethod(this: PinoLogger, args: Parameters<LogFn>, method: LogFn): void {
        method.apply(this, cleanAll(args) as Parameters<LogFn>);
      },
    },
    formatters: {
      level: (label: string) => ({ level: label }),
    },
    // Errors are plain facts by the time they get here.
    serializers: { err: (facts: unknown) => facts },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
  };
  return wrap(pino(options, { write: write ?? lineWriter(process.stdout) }));
};
