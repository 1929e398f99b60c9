/** How one try of one POST ended. */
export interface Answered {
  /** ms since 1970. */
  readonly at: number;
  /** 1 for the first try. */
  readonly attempt: number;
  readonly events: number;
  /** Null when no answer came. */
  readonly status: number | null;
  /** `timeout`, `closed` or the system's error code; null with a status. */
  readonly error: string | null;
  readonly latencyMs: number;
  /** Events that the answer names as rejected. */
  readonly rejected: number;
}

/** Sums over all tries. */
export interface VendorStats {
  readonly posts: number;
  readonly retries: number;
  readonly events: {
    /** Taken over to be sent. */
    readonly taken: number;
    readonly acknowledged: number;
    readonly expired: number;
    readonly rejected: number;
  };
  /** By status, or by why there was no answer. */
  readonly answers: Readonly<Record<string, number>>;
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly max: number };
}

/** Counts answers. */
export interface Tally {
  take(events: number): void;
  expire(events: number): void;
  answer(answered: Answered): void;
  stats(): VendorStats;
  /** The latest tries, oldest first. */
  answers(): readonly Answered[];
}

const keptAnswers = 1_000;
const keptLatencies = 65_536;

const quantile = (sorted: Float64Array, q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;

/** Makes a tally at zero; percentiles are over the latest 65,536 answers. */
export const createTally = (): Tally => {
  const answers: Record<string, number> = {};
  const events = { taken: 0, acknowledged: 0, expired: 0, rejected: 0 };
  const latencies = new Float64Array(keptLatencies);
  const kept: Answered[] = [];
  let posts = 0;
  let retries = 0;
  let max = 0;

  return {
    take: (count) => void (events.taken += count),
    expire: (count) => void (events.expired += count),
    answer(answered) {
      latencies[posts % keptLatencies] = answered.latencyMs;
      posts += 1;
      if (answered.attempt > 1) retries += 1;
      max = Math.max(max, answered.latencyMs);
      const name = String(answered.status ?? answered.error);
      answers[name] = (answers[name] ?? 0) + 1;
      if (answered.status === 200) {
        events.acknowledged += answered.events;
        events.rejected += answered.rejected;
      }
      kept.push(answered);
      if (kept.length > keptAnswers * 2) kept.splice(0, keptAnswers);
    },
    stats() {
      const sorted = latencies.slice(0, Math.min(posts, keptLatencies)).sort();
      const latencyMs = { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), max };
      return { posts, retries, events: { ...events }, answers: { ...answers }, latencyMs };
    },
    answers: () => kept.slice(-keptAnswers),
  };
};
