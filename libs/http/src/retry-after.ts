import type { Clock } from '@ranger-relay/runtime';

/** Longest wait that another side may ask for. */
export const maxRetryAfterMs = 3_600_000;

const bounded = (ms: number): number => Math.min(Math.max(0, ms), maxRetryAfterMs);

/** Milliseconds that a Retry-After header asks to wait: whole seconds or an HTTP date. Undefined when it is neither. */
export const parseRetryAfter = (header: string | undefined, clock: Pick<Clock, 'now'>): number | undefined => {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return bounded(Number(text) * 1_000);
  if (!/^[A-Za-z]{3,9},? /.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : bounded(at - clock.now());
};
