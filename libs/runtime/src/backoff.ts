import type { Random } from './random.ts';

/** A doubling delay with a cap and jitter. */
export interface Backoff {
  /** First delay, ms. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** Maximum random addition, ms. */
  readonly jitterMs: number;
}

/** Delay before try number `attempt` + 1 (attempt counts from 0), ms. */
export const delayFor = ({ baseMs, maxMs, jitterMs }: Backoff, attempt: number, random: Random): number =>
  Math.min(baseMs * 2 ** Math.min(attempt, 30) + random.next() * jitterMs, maxMs);
