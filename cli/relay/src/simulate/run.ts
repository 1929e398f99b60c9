import { type Clock, type Random, repeatAtRate, runWithin } from '@ranger-relay/runtime';
import { fleetLanes, type TrafficOptions } from './fleet-source.ts';
import { runLane } from './lane.ts';
import type { Post } from './post.ts';
import type { Progress } from './summary.ts';
import { createCounting, type Tally } from './tally.ts';

/** A run of the load tool. */
export interface RunOptions extends TrafficOptions {
  readonly durationMs: number;
  /** Maximum number of POSTs in flight; each has its own devices. */
  readonly connections: number;
  /** How long unacknowledged POSTs are retried at the end, ms. */
  readonly graceMs: number;
}

/** Dependencies of a run. */
export interface RunDependencies {
  readonly post: Post;
  readonly clock: Clock;
  readonly random: Random;
  /** Ends the run at once. */
  readonly interrupted: AbortSignal;
  /** Called every second with the progress. */
  readonly onProgress: (progress: Progress) => void;
}

/** Result of a run. */
export interface RunResult {
  readonly tally: Tally;
  readonly elapsedMs: number;
}

/** Sends the traffic of a fleet and counts the responses. Never rejects; POSTs that stay unacknowledged are in the tally. */
export const runLoad = async (options: RunOptions, parts: RunDependencies): Promise<RunResult> => {
  const { clock, random, post, interrupted, onProgress } = parts;
  const { durationMs, graceMs, batch } = options;
  const counting = createCounting();
  const lanes = fleetLanes(options, Math.min(options.connections, options.devices), clock.now());
  const start = clock.monotonic();
  const elapsed = (): number => clock.monotonic() - start;

  const stopProgress = repeatAtRate({ clock, everyMs: 1_000 }, () =>
    onProgress({ elapsedMs: elapsed(), durationMs, tally: counting.now() }),
  );
  try {
    await runWithin({ clock, ms: durationMs + graceMs, signal: interrupted, what: 'the load' }, (signal) =>
      Promise.all(
        lanes.map(({ source, rate }, index) => {
          const everyMs = (batch * 1_000) / rate;
          const pace = { everyMs, firstMs: (everyMs * index) / lanes.length, durationMs };
          return runLane(source, pace, { post, counting, clock, random, signal });
        }),
      ),
    );
  } finally {
    void stopProgress();
  }
  return { tally: counting.now(), elapsedMs: elapsed() };
};
