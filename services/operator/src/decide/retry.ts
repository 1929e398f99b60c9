const firstMs = 60_000;
const maxMs = 900_000;

/**
 * When something is due that comes so long after a moment that was written down. A moment that lies ahead was written by a replica whose
 * clock is ahead, by nobody knows how much: then it is due now.
 */
export const dueAfter = (written: string, afterMs: number, now: number): number => {
  const since = Date.parse(written);
  return since > now ? now : since + afterMs;
};

/** When the try after the `n`th failure may come: a minute later, then twice as long each time, a quarter of an hour at most. */
export const retryAt = (endedAt: string, n: number, now: number): number =>
  dueAfter(endedAt, Math.min(maxMs, firstMs * 2 ** Math.max(0, n - 1)), now);
