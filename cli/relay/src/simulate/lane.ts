import { type Clock, pause, type Random } from '@ranger-relay/runtime';
import { deliver, type DeliverDependencies } from './post.ts';
import type { Counting, EventCounts } from './tally.ts';

/** One POST's body. */
export interface Load extends EventCounts {
  readonly body: string;
}

/** Traffic of one connection. It has its own devices, so that each keeps its order. */
export interface LaneSource {
  /** The next POST. */
  next(): Load;
  /** Events that are still held back. */
  rest(): Load[];
}

/** How a lane is paced. */
export interface Pace {
  /** Between two POSTs, ms. */
  readonly everyMs: number;
  /** The first POST, ms after the start. */
  readonly firstMs: number;
  /** No POST starts after this time. */
  readonly durationMs: number;
}

/** Dependencies of a lane. */
export interface LaneDependencies extends DeliverDependencies {
  readonly counting: Counting;
  readonly clock: Clock;
  readonly random: Random;
  /** No new POST starts once it is aborted; those in flight finish. */
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
    if (early > 0) await pause(clock, early, enough);
    if (enough.aborted || clock.monotonic() - start >= pace.durationMs) break;
    await send(source.next(), parts);
  }
  if (!enough.aborted) for (const load of source.rest()) await send(load, parts);
};
