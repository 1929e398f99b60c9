import type { RelayError } from '@ranger-relay/errors';
import { type Clock, type Random, retry, type RetryPolicy, within } from '@ranger-relay/runtime';
import { unavailable, worthAnotherTry } from './classify.ts';

/** How long and how often a call is tried. */
export interface Budget extends Required<RetryPolicy> {
  /** From the first try to the last answer, ms. */
  readonly totalMs: number;
  /** Failures that are worth another try; those of the platform when left out. */
  readonly worth?: (error: unknown) => error is RelayError;
  /** What is said when no answer came within the budget; `platform_unavailable` when left out. */
  readonly late?: (reason: string) => RelayError;
}

const backoff = { baseMs: 2_000, maxMs: 30_000, jitterMs: 5_000 };

/** Calls that nobody waits for at a door. */
export const patientBudget: Budget = { tries: 6, totalMs: 120_000, backoff };

/** Calls of the sensors API inside actions. */
export const actionBudget: Budget = { tries: 4, totalMs: 150_000, backoff };

/** Calls that a webhook request waits for. */
export const ingesterBudget: Budget = { tries: 6, totalMs: 3_000, backoff };

/** What a budget is measured with. */
export interface BudgetDependencies {
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Runs a task until it succeeds, fails for good, or the budget is used up; then rejects with the last error. A try that outlasts the
 * budget is left to itself, so that what it brings is there for the next caller. A Retry-After is honoured when it fits. Once the signal is
 * aborted no further try is made, and it rejects with the signal's reason.
 */
export const withBudget = <T>(
  { worth = worthAnotherTry, late = unavailable, ...policy }: Budget,
  { clock, random }: BudgetDependencies,
  task: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> => {
  const end = clock.monotonic() + policy.totalMs;
  const onError = (error: unknown, delayMs: number): number | null =>
    worth(error) ? Math.max(delayMs, error.retryAfterMs ?? 0) : null;
  return retry({ ...policy, clock, random, signal, onError }, () => {
    const ms = Math.max(0, end - clock.monotonic());
    return within({ clock, ms }, task(), () => {
      throw late(`no answer within ${Math.round(ms)} ms`);
    });
  });
};
