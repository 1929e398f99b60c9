const firstMs = 60_000;
const maxMs = 900_000;

/**
 * Returns when something is due that follows a recorded time by `afterMs`. A recorded time in the future comes from a replica whose
 * clock is ahead by an unknown amount: then it is due now.
 */
export const dueAfter = (written: string, afterMs: number, now: number): number => {
  const since = Date.parse(written);
  return since > now ? now : since + afterMs;
};

/** Earliest time of the retry after failure `n`: one minute later, doubled each time, at most 15 minutes. */
export const retryAt = (endedAt: string, n: number, now: number): number =>
  dueAfter(endedAt, Math.min(maxMs, firstMs * 2 ** Math.max(0, n - 1)), now);
