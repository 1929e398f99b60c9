import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A log that writes one line instead of many similar ones. */
export interface RateLimitedLog {
  /**
   * Writes a warning at once, unless one with this key was written in the current window. What happens again in the window becomes one line at
   * its end: the newest fields, and how often it happened since the last line (`count`). So a condition that lasts is one line when it begins
   * and one a window. A key names the cause, such as `<integration>.<reason>`; the key itself is not logged.
   * @param count what this call stands for; the sum of a window is logged
   */
  warn(key: string, fields: Fields, message: string, count?: number): void;
  /** Writes an error, with the same limits as `warn`. */
  error(key: string, fields: Fields, message: string, count?: number): void;
}

/** Limits of the log. */
export interface RateLimit {
  readonly windowMs?: number;
  /** Maximum lines of all keys together in a window. */
  readonly maxLines?: number;
}

interface Repeated {
  count: number;
  /** Writes the line of the newest occurrence. */
  readonly write: (count: number) => void;
}

/** Creates a log for conditions that can occur once per event: at most one line per key and 60 lines in total per minute. */
export const createRateLimitedLog = (
  { log, clock }: { readonly log: Pick<Logger, 'warn' | 'error'>; readonly clock: Pick<Clock, 'after'> },
  { windowMs = 60_000, maxLines = 60 }: RateLimit = {},
): RateLimitedLog => {
  /** The keys with a line in the open window; undefined while no window is open. */
  let window: Map<string, Repeated | undefined> | undefined;
  /** Occurrences without a line, because there were too many keys. */
  let overflow = 0;

  const open = (keys: Map<string, Repeated | undefined>): Map<string, Repeated | undefined> => {
    window = keys;
    clock.after(windowMs, end);
    return keys;
  };

  const end = (): void => {
    const repeated = [...(window ?? [])].flatMap(([key, again]) => (again ? [{ key, again }] : []));
    for (const { again } of repeated) again.write(again.count);
    if (overflow > 0) log.warn({ count: overflow }, 'too many different warnings per minute: some were dropped');
    window = undefined;
    if (repeated.length > 0 || overflow > 0) open(new Map(repeated.map(({ key }) => [key, undefined])));
    overflow = 0;
  };

  const writer =
    (level: 'warn' | 'error'): RateLimitedLog['warn'] =>
    (key, fields, message, count = 1) => {
      const keys = window ?? open(new Map());
      const write = (sum: number): void => log[level]({ ...fields, ...(sum > 1 ? { count: sum } : {}) }, message);
      if (keys.has(key)) keys.set(key, { count: (keys.get(key)?.count ?? 0) + count, write });
      else if (keys.size >= maxLines) overflow += 1;
      else {
        keys.set(key, undefined);
        write(count);
      }
    };

  return { warn: writer('warn'), error: writer('error') };
};
