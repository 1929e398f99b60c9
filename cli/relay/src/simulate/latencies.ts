/** Latencies in bounded memory: each is known to 2 %, the greatest exactly. */
export interface Latencies {
  /** Milliseconds. */
  add(ms: number): void;
  /** The latency below which a share of 0 to 1 lies, ms; 0 without any. */
  quantile(share: number): number;
  max(): number;
  count(): number;
}

const least = 0.05;
const growth = 1.02;
const buckets = 1_000;

const bucketOf = (ms: number): number =>
  Math.min(buckets - 1, Math.max(0, Math.floor(Math.log(Math.max(ms, least) / least) / Math.log(growth))));

/** Makes an empty collection. */
export const createLatencies = (): Latencies => {
  const counts = new Uint32Array(buckets);
  let total = 0;
  let greatest = 0;
  return {
    add(ms) {
      const bucket = bucketOf(ms);
      counts[bucket] = (counts[bucket] ?? 0) + 1;
      total += 1;
      greatest = Math.max(greatest, ms);
    },
    quantile(share) {
      const wanted = Math.ceil(share * total);
      let seen = 0;
      for (const [bucket, count] of counts.entries()) {
        seen += count;
        if (count > 0 && seen >= wanted) return Math.min(greatest, least * growth ** (bucket + 1));
      }
      return 0;
    },
    max: () => greatest,
    count: () => total,
  };
};
