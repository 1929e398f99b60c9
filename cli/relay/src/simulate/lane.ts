import { pause } from '@ranger-relay/runtime';
import { deliver, type DeliverDependencies } from './post.ts';
import type { EventCounts } from './tally.ts';

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

const send = async (load: Load, parts: DeliverDependencies): Promise<void> => {
  parts.counting.made(load);
  if (await deliver(load.body, parts)) parts.counting.acknowledged(load.events);
};

/**
 * Sends POSTs one at a time at its pace. A lane that falls behind sends at once until it has caught up; what it could not send by the end
 * of the run is not sent.
 */
export const runLane = async (source: LaneSource, pace: Pace, parts: DeliverDependencies): Promise<void> => {
  const { clock, signal } = parts;
  const start = clock.monotonic();
  for (let due = pace.firstMs; due < pace.durationMs; due += pace.everyMs) {
    const early = due - (clock.monotonic() - start);
    if (early > 0) await pause(clock, early, signal);
    if (signal.aborted || clock.monotonic() - start >= pace.durationMs) break;
    await send(source.next(), parts);
  }
  if (!signal.aborted) for (const load of source.rest()) await send(load, parts);
};
