const firstMs = 60_000;
const longestMs = 900_000;

/** When the try after the `n`th failure may come: a minute later, then twice as long each time, a quarter of an hour at most. */
export const retryAt = (endedAt: string, n: number): number =>
  Date.parse(endedAt) + Math.min(longestMs, firstMs * 2 ** Math.max(0, n - 1));
