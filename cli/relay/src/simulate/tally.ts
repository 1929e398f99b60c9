import { createHistogram, type Histogram } from 'node:perf_hooks';
import { jsonOf } from '@ranger-relay/errors';
import { z } from 'zod';
import type { PostAnswer } from './post.ts';

/** Events of one POST or of many. */
export interface EventCounts {
  readonly events: number;
  /** Sent a second time on purpose. */
  readonly duplicates: number;
  /** Unreadable on purpose. */
  readonly bad: number;
  /** SOS calls that were declared. */
  readonly sos: number;
}

/** Counts of a run. */
export interface Tally {
  /** Responses by status, or by the reason why there is none. */
  readonly answers: ReadonlyMap<string, number>;
  /** In microseconds, in bounded memory: each is known to 0.1 %. */
  readonly latencies: Histogram;
  /** POSTs without retries. */
  readonly posts: number;
  /** Events in them, and the special ones among these. */
  readonly made: EventCounts;
  readonly acknowledgedPosts: number;
  readonly acknowledgedEvents: number;
  readonly retries: number;
  /** Events that the ingester reports as stored. */
  readonly observations: number;
  readonly messages: number;
  readonly rejected: number;
}

/** Counts a run in progress. */
export interface Counting {
  made(counts: EventCounts): void;
  answered(answer: PostAnswer, ms: number): void;
  acknowledged(events: number): void;
  retried(): void;
  now(): Tally;
}

const totalsSchema = z.object({
  total_observations: z.number(),
  total_messages: z.number(),
  rejected: z.array(z.unknown()).optional(),
});

const totalsOf = (body: string): z.infer<typeof totalsSchema> | undefined => totalsSchema.safeParse(jsonOf(body)).data;

/** A day. */
const maxMicroseconds = 86_400_000_000;

/** Starts counting. */
export const createCounting = (): Counting => {
  const answers = new Map<string, number>();
  const latencies = createHistogram({ highest: maxMicroseconds, figures: 3 });
  const sums = {
    posts: 0,
    acknowledgedPosts: 0,
    acknowledgedEvents: 0,
    retries: 0,
    observations: 0,
    messages: 0,
    rejected: 0,
  };
  let made: EventCounts = { events: 0, duplicates: 0, bad: 0, sos: 0 };
  return {
    made(counts) {
      sums.posts += 1;
      made = {
        events: made.events + counts.events,
        duplicates: made.duplicates + counts.duplicates,
        bad: made.bad + counts.bad,
        sos: made.sos + counts.sos,
      };
    },
    answered(answer, ms) {
      const name = answer.status === null ? answer.reason : String(answer.status);
      answers.set(name, (answers.get(name) ?? 0) + 1);
      latencies.record(Math.min(maxMicroseconds, Math.max(1, Math.round(ms * 1_000))));
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
    now: () => ({ ...sums, made, answers, latencies }),
  };
};
