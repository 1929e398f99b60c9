import type { Clock, Random } from '@ranger-relay/runtime';
import { every } from '../program/every.ts';
import { fleetLanes, type TrafficOptions } from './fleet-source.ts';
import { runLane } from './lane.ts';
import type { Post } from './post.ts';
import type { Progress } from './summary.ts';
import { createCounting, type Tally } from './tally.ts';

/** A run of the load tool. */
export interface RunOptions extends TrafficOptions {
  readonly durationMs: number;
  /** POSTs under way at most; each has devices of its own. */
  readonly connections: number;
  /** How long POSTs that are not acknowledged at the end are tried on, ms. */
  readonly graceMs: number;
}

/** What a run works with. */
export interface RunDependencies {
  readonly post: Post;
  readonly clock: Clock;
  readonly random: Random;
  /** Ends the run at once. */
  readonly interrupted: AbortSignal;
  /** Called each second with how far it is. */
  readonly onProgress: (progress: Progress) => void;
}

/** What a run came to. */
export interface RunResult {
  readonly tally: Tally;
  readonly elapsedMs: number;
}

/** Sends a fleet's traffic and counts the answers. Never rejects; POSTs that stay unacknowledged are in the tally. */
export const runLoad = async (options: RunOptions, parts: RunDependencies): Promise<RunResult> => {
  const { clock, random, post, interrupted, onProgress } = parts;
  const { durationMs, graceMs, batch } = options;
  const counting = createCounting();
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, interrupted]);
  const lanes = fleetLanes(options, Math.min(options.connections, options.devices), clock.now());
  const start = clock.monotonic();
  const elapsed = (): number => clock.monotonic() - start;

  const deadline = clock.after(durationMs + graceMs, () => over.abort());
  const stopProgress = every(clock, 1_000, () =>
    onProgress({ elapsedMs: elapsed(), durationMs, tally: counting.now() }),
  );
  try {
    await Promise.all(
      lanes.map(({ source, rate }, index) => {
        const everyMs = (batch * 1_000) / rate;
        const pace = { everyMs, firstMs: (everyMs * index) / lanes.length, durationMs };
        return runLane(source, pace, { post, counting, clock, random, signal, enough: signal });
      }),
    );
  } finally {
    deadline.cancel();
    stopProgress();
  }
  return { tally: counting.now(), elapsedMs: elapsed() };
};
