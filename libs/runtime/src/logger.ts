import { type LogFn, type Logger as PinoLogger, pino } from 'pino';
import { redact, redactText } from './redact.ts';

/** A stream that takes lines, such as standard output. */
type LineStream = Pick<NodeJS.WriteStream, 'write' | 'writableLength' | 'on' | 'listeners'>;

/** Bytes that wait for a reader that does not read; what comes behind them is dropped. */
const maxPendingBytes = 1_048_576;

const ignore = (): void => undefined;

/** From now on a stream whose reader, disk or terminal is gone drops what is written to it; without this its error ends the process. */
export const tolerateErrors = (stream: Pick<LineStream, 'on' | 'listeners'>): void => {
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
};

/** Writes log lines to a stream. Whatever becomes of its reader, nothing is thrown, and neither memory nor the caller waits for it. */
export const lineWriter = (stream: LineStream): ((line: string) => void) => {
  tolerateErrors(stream);
  return (line) => {
    if (stream.writableLength < maxPendingBytes) stream.write(line);
  };
};

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
interface LoggerOptions {
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
