import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';

/** Writes one log line in place of many alike. */
export interface RateLimitedLog {
  /**
   * Writes a warning unless one with this key was written in the same minute. The next one of the key counts what was left out
   * (`suppressed`). A key names the cause, such as `<integration>.<reason>`; it is not written.
   */
  warn(key: string, fields: Readonly<Record<string, unknown>>, message: string): void;
  /** Writes an error, as `warn`. */
  error(key: string, fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** How much is written. */
export interface RateLimit {
  readonly windowMs?: number;
  /** Lines of all keys together in a window. */
  readonly maxLines?: number;
}

/** Makes a log for what can happen once per event: at most one line a key and 60 lines in all a minute. */
export const createRateLimitedLog = (
  { log, clock }: { readonly log: Pick<Logger, 'warn' | 'error'>; readonly clock: Pick<Clock, 'monotonic'> },
  { windowMs = 60_000, maxLines = 60 }: RateLimit = {},
): RateLimitedLog => {
  let end = -Infinity;
  let lines = 0;
  /** Left out by key, in this window and the one before. */
  let current = new Map<string, number>();
  let previous = new Map<string, number>();
  /** Left out because there were too many keys. */
  let overflow = 0;

  const startWindow = (now: number): void => {
    previous = now < end + windowMs ? current : new Map();
    current = new Map();
    end = now + windowMs;
    lines = 0;
    if (overflow > 0) log.warn({ suppressed: overflow }, 'too many different warnings a minute: some were left out');
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
