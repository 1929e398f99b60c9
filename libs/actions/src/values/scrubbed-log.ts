import { redact, type Logger } from '@ranger-relay/runtime';
import type { Scrubber } from './scrubber.ts';

const levels = ['debug', 'info', 'warn', 'error', 'fatal'] as const;

/** The same log, with known secrets taken out of every line as well. */
export const scrubbedLog = (log: Logger, scrubber: Scrubber): Logger => {
  const clean = (value: unknown): unknown =>
    typeof value === 'string' ? scrubber.text(value) : scrubber.value(redact(value));
  const methods = levels.map((level) => [
    level,
    (...args: unknown[]): void => Reflect.apply(log[level], undefined, args.map(clean)),
  ]);
  return {
    ...(Object.fromEntries(methods) as Omit<Logger, 'child'>),
    child: (fields) => scrubbedLog(log.child(clean(fields) as Readonly<Record<string, unknown>>), scrubber),
  };
};
