import type { DeadLetterDraft, Outcome } from '../port.ts';

/** A record to bury, by its index in the batch. */
export interface Burial {
  readonly index: number;
  readonly letter: DeadLetterDraft;
}

/** What a handler's answer means for its batch: records from `finished` on wait. */
export interface Verdict {
  readonly finished: number;
  readonly retryAfterMs: number;
  readonly burials: readonly Burial[];
}

/** A lane waits at most so long for one retry, ms. */
const maxRetryMs = 3_600_000;

const wait = (afterMs: unknown): number => {
  if (typeof afterMs !== 'number' || Number.isNaN(afterMs)) throw new TypeError('a retry without a time');
  return Math.min(Math.max(0, afterMs), maxRetryMs);
};

/**
 * Reads a handler's answer: outcomes behind the first `retry` do not count, the lane's order holds them back.
 * @throws TypeError when it is not one known outcome for each of the `count` records
 */
export const verdictOf = (outcomes: readonly Outcome[], count: number): Verdict => {
  if (!Array.isArray(outcomes) || outcomes.length !== count)
    throw new TypeError(`the handler answered ${outcomes?.length ?? 'no'} outcomes for ${count} records`);
  const burials: Burial[] = [];
  for (const [index, outcome] of (outcomes as readonly Outcome[]).entries()) {
    if (outcome?.kind === 'retry') return { finished: index, retryAfterMs: wait(outcome.afterMs), burials };
    if (outcome?.kind === 'dead') burials.push({ index, letter: outcome.letter });
    else if (outcome?.kind !== 'done') throw new TypeError(`the handler answered an unknown outcome`);
  }
  return { finished: count, retryAfterMs: 0, burials };
};
