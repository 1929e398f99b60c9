import type { DeadLetters } from '@ranger-relay/bus';
import type { Message, Observation } from '@ranger-relay/contracts';
import type { RelayError } from '@ranger-relay/errors';
import type { Context } from '@ranger-relay/runtime';
import type { ActivityReporter } from './activity-reporter.ts';
import type { Dedup } from './dedup/dedup.ts';
import type { FailureTracker, LaneRef } from './failure-tracker.ts';
import type { Parking } from './parking/parking.ts';
import type { PostQueue } from './post-queue.ts';
import type { Refusals } from './refusals.ts';
import type { SosWatch } from './sos-watch.ts';
import type { Counts } from './tally.ts';
import type { Tries } from './dedup/tries.ts';

/**
 * One of the three ways of events to the platform, each with connections, limits and retries of its own. Live events make room for others by
 * being parked; parked ones and emergencies wait where they are.
 */
export interface Route {
  readonly name: 'live' | 'parked' | 'emergency';
  readonly observations: PostQueue<Observation>;
  readonly messages: PostQueue<Message>;
  readonly tracker: FailureTracker;
}

/** What forwarding works with on every route. */
export interface ForwardDependencies {
  readonly context: Pick<Context, 'clock' | 'random' | 'log' | 'metrics'>;
  readonly deadLetters: DeadLetters;
  readonly counts: Counts;
  readonly dedup: Dedup;
  readonly tries: Tries;
  readonly refusals: Refusals;
  readonly parking: Parking;
  readonly reporter: ActivityReporter;
  readonly sosWatch: SosWatch;
  /** Name of this worker in claims; the same again after a restart where only one can run. */
  readonly owner: string;
  /** Takes note of an answer of the platform; a recovery ends the waits of all lanes, here and in other processes. */
  readonly succeeded: (route: Route, ref: LaneRef) => void;
  /** Takes note of a failure, in a call that began at `startedAt`, monotonic ms. */
  readonly failed: (route: Route, ref: LaneRef, error: RelayError, startedAt: number) => void;
}
