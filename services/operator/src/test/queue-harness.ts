import { RelayError } from '@ranger-relay/errors';
import { manualClock, seededRandom, type ManualClock } from '@ranger-relay/runtime/testing';
import { createWorkQueue, type Result, type WorkQueue } from '../kube/work-queue.ts';

/** What the run of a key shall be like. */
export interface Fate {
  readonly ms: number;
  readonly ends: 'done' | 'again' | 'fails' | 'throttled';
  readonly afterMs: number;
}

/** One run that was begun. */
export interface Run {
  readonly key: string;
  readonly at: number;
  ended: number | undefined;
}

/** A queue whose runs follow a list of fates, and what was seen of them. */
export interface QueueHarness {
  readonly clock: ManualClock;
  readonly queue: WorkQueue;
  readonly runs: Run[];
  /** Breaches of what always holds. */
  readonly problems: string[];
  runsOf(key: string): Run[];
}

/** Settings of the queue under test. */
export interface QueueHarnessOptions {
  readonly concurrency?: number;
  /** One after the other, then all done at once. */
  readonly fates?: readonly Fate[];
  readonly seed?: number;
}

export const backoff = { baseMs: 1_000, maxMs: 60_000, jitterMs: 0 };

const end = ({ ends, afterMs }: Fate): Result => {
  if (ends === 'fails') throw new Error('the run fails');
  if (ends === 'throttled') throw new RelayError('kube_throttled', { retryAfterMs: afterMs });
  return ends === 'again' ? { kind: 'again', afterMs } : { kind: 'done' };
};

/** Makes a world at time 0. */
export const queueHarness = ({ concurrency = 3, fates = [], seed = 1 }: QueueHarnessOptions = {}): QueueHarness => {
  const clock = manualClock(0);
  const runs: Run[] = [];
  const problems: string[] = [];
  const open = new Set<string>();
  const waiting = [...fates];

  const run = async (key: string): Promise<Result> => {
    if (open.has(key)) problems.push(`${key} runs twice at ${clock.monotonic()}`);
    open.add(key);
    if (open.size > concurrency) problems.push(`${open.size} runs at ${clock.monotonic()}`);
    const entry: Run = { key, at: clock.monotonic(), ended: undefined };
    runs.push(entry);
    const fate = waiting.shift() ?? { ms: 0, ends: 'done', afterMs: 0 };
    if (fate.ms > 0) await clock.sleep(fate.ms);
    open.delete(key);
    entry.ended = clock.monotonic();
    return end(fate);
  };

  const queue = createWorkQueue({ clock, random: seededRandom(seed), concurrency, backoff, run });
  queue.open();
  return { clock, queue, runs, problems, runsOf: (key) => runs.filter((each) => each.key === key) };
};
