import { isRelayError } from '@ranger-relay/errors';
import { pino, type Logger as PinoLogger } from 'pino';
import { redact } from './redact.ts';

/** The log: one JSON object a line. Never texts of messages, exact positions or secrets. */
export type Logger = PinoLogger;

/** How the log is made. */
export interface LoggerOptions {
  readonly service: string;
  /** `debug`, `info`, `warn`, `error` or `silent`. */
  readonly level: string;
  /** Takes each finished line; standard output when left out. */
  readonly write?: (line: string) => void;
}

const maxStack = 4_000;

const serializeError = (error: unknown): unknown => {
  if (!(error instanceof Error)) return { message: String(error).slice(0, 500) };
  return {
    type: error.name,
    ...(isRelayError(error) ? { code: error.code, details: redact(error.details) } : {}),
    message: error.message.slice(0, 500),
    stack: error.stack?.slice(0, maxStack),
    ...(error.cause === undefined ? {} : { cause: serializeError(error.cause) }),
  };
};

/** Makes the log of one process. */
export const createLogger = ({ service, level, write }: LoggerOptions): Logger => {
  const options = {
    level,
    base: { service },
    serializers: { err: serializeError },
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: Record<string, unknown>) => redact(fields),
    },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
  };
  return write ? pino(options, { write }) : pino(options, pino.destination({ fd: 1, sync: true }));
};
