import type { JobStatus, PlanStatus } from '../api/run-status.ts';
import type { JobView } from './observed.ts';
import type { StepName } from './steps.ts';

/** A Job that is wanted: its name says what it does, so that the same wish twice is one Job. */
export type Wanted = Omit<JobStatus, 'uid' | 'since'>;

/** The one call of a step. */
export type JobAction =
  | { readonly kind: 'create'; readonly job: Wanted }
  | { readonly kind: 'release' | 'remove'; readonly job: JobView }
  | { readonly kind: 'take' | 'releaseLock' };

/**
 * What an object waits for: for nothing that comes by itself (`settled`), for something that does (`working`), for the approval of its plan,
 * or for a person who fixes something (`stalled`). One of them, as tools that read conditions expect it.
 */
export type State = 'settled' | 'working' | 'approval' | 'stalled';

/** What is said to people. */
export interface StatusUpdate {
  /** Whether all that was asked for is so. */
  readonly ready: boolean;
  readonly state: State;
  /** One word in CamelCase. */
  readonly reason: string;
  /** What is so, and what to do next. */
  readonly message: string;
}

/** What is to be done next, and what is known then. */
export interface Decision<Facts> {
  readonly step: StepName;
  readonly facts: Facts;
  readonly status: StatusUpdate;
  readonly action?: JobAction;
  /** The plan of the present spec, when there is one. */
  readonly plan?: PlanStatus;
  /** When to look again although nothing changed, ms. */
  readonly requeueAfterMs?: number;
}

/** Something goes on; an object that was ready stays so. */
export const working = (reason: string, message: string, ready = false): StatusUpdate => ({
  ready,
  state: 'working',
  reason,
  message,
});

/** A person has to fix something. */
export const stalled = (reason: string, message: string): StatusUpdate => ({
  ready: false,
  state: 'stalled',
  reason,
  message,
});

/** A plan waits for its approval. */
export const approval = (reason: string, message: string): StatusUpdate => ({
  ready: false,
  state: 'approval',
  reason,
  message,
});

/** Nothing is due. */
export const settled = (ready: boolean, reason: string, message: string): StatusUpdate => ({
  ready,
  state: 'settled',
  reason,
  message,
});
