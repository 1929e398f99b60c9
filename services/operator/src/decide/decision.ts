import type { JobStatus, PlanStatus } from '../api/run-status.ts';
import type { JobView } from './observed.ts';
import type { StepName } from './steps.ts';

/** A wanted Job. Its name is derived from its purpose, so that the same request twice yields one Job. */
export type Wanted = Omit<JobStatus, 'uid' | 'since'>;

/** API call of a step. */
export type JobAction =
  | { readonly kind: 'create'; readonly job: Wanted }
  | { readonly kind: 'release' | 'remove'; readonly job: JobView }
  | { readonly kind: 'acquireLock' | 'releaseLock' };

/**
 * What an object waits for: nothing (`settled`), a change that happens by itself (`working`), the approval of its plan (`approval`),
 * or a fix by a person (`stalled`). Exactly one applies, as tools that read conditions expect.
 */
export type State = 'settled' | 'working' | 'approval' | 'stalled';

/** Human-readable status of an object. */
export interface StatusUpdate {
  /** Whether the requested state is reached. */
  readonly ready: boolean;
  readonly state: State;
  /** One word in CamelCase. */
  readonly reason: string;
  /** Current situation and next action. */
  readonly message: string;
}

/** Next action and the resulting facts. */
export interface Decision<Facts> {
  readonly step: StepName;
  readonly facts: Facts;
  readonly status: StatusUpdate;
  readonly action?: JobAction;
  /** Plan of the current spec, if there is one. */
  readonly plan?: PlanStatus;
  /** Delay of the next reconcile when nothing changes, ms. */
  readonly requeueAfterMs?: number;
}

/** Status while work is in progress; a ready object may stay ready. */
export const working = (reason: string, message: string, ready = false): StatusUpdate => ({
  ready,
  state: 'working',
  reason,
  message,
});

/** Status of an object that needs a fix by a person. */
export const stalled = (reason: string, message: string): StatusUpdate => ({
  ready: false,
  state: 'stalled',
  reason,
  message,
});

/** Status of an object whose plan awaits approval. */
export const approval = (reason: string, message: string): StatusUpdate => ({
  ready: false,
  state: 'approval',
  reason,
  message,
});

/** Status of an object without due work. */
export const settled = (ready: boolean, reason: string, message: string): StatusUpdate => ({
  ready,
  state: 'settled',
  reason,
  message,
});

/** Decision without a call: the object waits for a change, or for its next reconcile after so many ms. */
export const waitDecision = <Facts>(
  facts: Facts,
  step: StepName,
  status: StatusUpdate,
  requeueAfterMs?: number,
): Decision<Facts> => ({ step, facts, status, ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }) });
