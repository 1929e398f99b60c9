import { z } from 'zod';
import { createLatencies, type Latencies } from './latencies.ts';
import type { PostAnswer } from './post.ts';

/** What is counted of a run. */
export interface Tally {
  /** Answers by status, or by why none came. */
  readonly answers: ReadonlyMap<string, number>;
  readonly latencies: Latencies;
  /** POSTs that were made, repeats left out. */
  readonly posts: number;
  /** Events in them. */
  readonly events: number;
  readonly acknowledgedPosts: number;
  readonly acknowledgedEvents: number;
  /** POSTs sent on purpose a second time. */
  readonly duplicates: number;
  readonly retries: number;
  /** What the ingester says it stored. */
  readonly observations: number;
  readonly messages: number;
  readonly rejected: number;
}

/** Counts a run as it goes. */
export interface Counting {
  made(events: number): void;
  answered(answer: PostAnswer, ms: number): void;
  acknowledged(events: number): void;
  retried(): void;
  duplicated(): void;
  now(): Tally;
}

const totalsSchema = z.object({
  total_observations: z.number(),
  total_messages: z.number(),
  rejected: z.array(z.unknown()).optional(),
});

const totalsOf = (body: string): z.infer<typeof totalsSchema> | undefined => {
  try {
    return totalsSchema.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
};

/** Starts counting. */
export const createCounting = (): Counting => {
  const answers = new Map<string, number>();
  const latencies = createLatencies();
  const sums = {
    posts: 0,
    events: 0,
    acknowledgedPosts: 0,
    acknowledgedEvents: 0,
    duplicates: 0,
    retries: 0,
    observations: 0,
    messages: 0,
    rejected: 0,
  };
  return {
    made(events) {
      sums.posts += 1;
      sums.events += events;
    },
    answered(answer, ms) {
      const name = answer.status === null ? answer.reason : String(answer.status);
      answers.set(name, (answers.get(name) ?? 0) + 1);
      latencies.add(ms);
      const totals = answer.status === 200 ? totalsOf(answer.body) : undefined;
      sums.observations += totals?.total_observations ?? 0;
      sums.messages += totals?.total_messages ?? 0;
      sums.rejected += totals?.rejected?.length ?? 0;
    },
    acknowledged(events) {
      sums.acknowledgedPosts += 1;
      sums.acknowledgedEvents += events;
    },
    retried: () => void (sums.retries += 1),
    duplicated: () => void (sums.duplicates += 1),
    now: () => ({ ...sums, answers, latencies }),
  };
};
