import type { ExecuteOutcome } from './request.ts';

/** How long to wait at least before the message is delivered again, ms; undefined when it is done with. */
export const repeatAfter = (outcome: ExecuteOutcome): number | undefined => {
  if (outcome.kind === 'busy') return outcome.retryAfterMs;
  if (outcome.kind === 'timed_out') return 0;
  if (outcome.kind === 'failed') return outcome.transient ? (outcome.retryAfterMs ?? 0) : undefined;
  if (outcome.kind === 'refused') return outcome.error.next === 'retry' ? (outcome.error.retryAfterMs ?? 0) : undefined;
  return undefined;
};
