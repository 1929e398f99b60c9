import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';

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
