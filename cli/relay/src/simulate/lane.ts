import type { Clock, Random } from '@ranger-relay/runtime';
import { deliver, type DeliverDependencies } from './post.ts';
import type { Counting, EventCounts } from './tally.ts';

/** One POST's body. */
export interface Load extends EventCounts {
  readonly body: string;
}

/** What one connection sends. Its devices are its own, so that the order of each is kept. */
export interface LaneSource {
  /** The next POST. */
  next(): Load;
  /** What is still held back; empty when nothing is. */
  rest(): Load[];
}

/** How a lane is paced. */
export interface Pace {
  /** Between two POSTs, ms. */
  readonly everyMs: number;
  /** The first POST, ms after the start. */
  readonly firstMs: number;
  /** No POST is begun after so long. */
  readonly durationMs: number;
}

/** What a lane works with. */
export interface LaneDependencies extends DeliverDependencies {
  readonly counting: Counting;
  readonly clock: Clock;
  readonly random: Random;
  /** No new POST is begun once it is aborted; those under way go on. */
  readonly enough: AbortSignal;
}

const send = async (load: Load, parts: LaneDependencies): Promise<void> => {
  parts.counting.made(load);
  if (await deliver(load.body, parts)) parts.counting.acknowledged(load.events);
};

/**
 * Sends POSTs one at a time at its pace. A lane that falls behind sends at once until it has caught up; what it could not send by the end
 * of the run is not sent.
 */
export const runLane = async (source: LaneSource, pace: Pace, parts: LaneDependencies): Promise<void> => {
  const { clock, enough } = parts;
  const start = clock.monotonic();
  for (let due = pace.firstMs; due < pace.durationMs; due += pace.everyMs) {
    const early = due - (clock.monotonic() - start);
    if (early > 0) await clock.sleep(early, enough).catch(() => undefined);
    if (enough.aborted || clock.monotonic() - start >= pace.durationMs) break;
    await send(source.next(), parts);
  }
  if (!enough.aborted) for (const load of source.rest()) await send(load, parts);
};
