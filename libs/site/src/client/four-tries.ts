import { type Clock, pLimit } from '@ranger-relay/runtime';
import type { RetryPolicy } from './retry-policy.ts';

const maxInFlight = 4;
const maxTries = 4;
/** If the site asks for a longer wait, a later run retries. */
const maxWaitMs = 60_000;

/**
 * Sends each request up to four times, 1, 2 and 4 s apart or as the site asks, at most four requests at a time (platform contract, retry
 * budgets). An untrusted certificate counts as an outage, because the operator can renew it: a run that waits loses no data, a run that
 * skips the site would.
 */
export const fourTries = (clock: Clock): RetryPolicy => {
  const limit = pLimit(maxInFlight);
  return {
    faultsAreOutages: true,
    run: (attempt) => limit(attempt, { pauses: 0 }),
    answered: () => undefined,
    async setBack(_pass, { hopeless, retryAfterMs }, _losses, tries, signal) {
      if (hopeless || tries >= maxTries || (retryAfterMs ?? 0) > maxWaitMs) return false;
      await clock.sleep(retryAfterMs ?? 1_000 * 2 ** (tries - 1), signal);
      return true;
    },
  };
};
