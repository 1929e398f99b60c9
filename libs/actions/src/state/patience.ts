import { isRelayError, RelayError } from '@ranger-relay/errors';
import { withBudget, type Budget, type BudgetTools } from '@ranger-relay/platform';

/** How calls of the key-value store are repeated inside actions (platform contract, retry budgets). */
export const storeBudget: Budget = {
  tries: 5,
  totalMs: 30_000,
  backoff: { baseMs: 1_000, maxMs: 30_000, jitterMs: 3_000 },
  worth: (error): error is RelayError => isRelayError(error, 'kv_unavailable'),
  late: (reason) => new RelayError('kv_unavailable', { details: { reason } }),
};

/**
 * Runs a call of the store with its budget, and not at all once the signal is aborted.
 * @param look has the signal aborted first when that is due
 */
export const patiently =
  (tools: BudgetTools, signal: AbortSignal, look: () => void = () => undefined) =>
  <T>(call: () => Promise<T>): Promise<T> =>
    withBudget(storeBudget, tools, async () => {
      look();
      signal.throwIfAborted();
      return call();
    });
