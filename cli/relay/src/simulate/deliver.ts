import { delayFor, type Clock, type Random } from '@ranger-relay/runtime';
import type { Post } from './post.ts';
import type { Counting } from './tally.ts';

/** What delivering works with. */
export interface DeliverParts {
  readonly post: Post;
  readonly counting: Counting;
  readonly clock: Clock;
  readonly random: Random;
  /** Nothing is sent any more once it is aborted. */
  readonly signal: AbortSignal;
}

const backoff = { baseMs: 500, maxMs: 10_000, jitterMs: 250 };

/** Statuses after which the same body would fail again: the call or the run is wrong. */
const isFinal = (status: number | null): boolean =>
  status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429;

/**
 * Posts a body until it is acknowledged, refused for good, or the signal is aborted; only 200 acknowledges (device contract, vendor webhook).
 * Resolves with whether it was.
 */
export const deliver = async (body: string, parts: DeliverParts): Promise<boolean> => {
  const { post, counting, clock, random, signal } = parts;
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    if (attempt > 0) counting.retried();
    const start = clock.monotonic();
    const answer = await post(body, signal);
    if (answer.status === null && signal.aborted) return false;
    counting.answered(answer, clock.monotonic() - start);
    if (answer.status === 200) return true;
    if (isFinal(answer.status)) return false;
    const asked = answer.status === null ? undefined : answer.retryAfterMs;
    await clock.sleep(asked ?? delayFor(backoff, attempt, random), signal).catch(() => undefined);
  }
  return false;
};
