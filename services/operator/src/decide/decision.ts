import type { JobStatus } from '../api/run-status.ts';
import type { JobView } from './observed.ts';
import type { StepName } from './steps.ts';

/** A Job that is wanted: its name says what it does, so that the same wish twice is one Job. */
export type Wanted = Omit<JobStatus, 'uid' | 'since'>;

/** The one call of a step. */
export type Act =
  | { readonly kind: 'create'; readonly job: Wanted }
  | { readonly kind: 'release' | 'remove'; readonly job: JobView }
  | { readonly kind: 'take' | 'giveBack' };

/** What is said to people. */
export interface Say {
  /** Whether all that was asked for is so. */
  readonly ready: boolean;
  /** Something is under way or waited for that comes by itself. */
  readonly working: boolean;
  /** Only a person can go on. */
  readonly stalled: boolean;
  /** A plan waits for a yes. */
  readonly approval: boolean;
  /** One word in CamelCase. */
  readonly reason: string;
  /** What is so, and what to do next. */
  readonly message: string;
}

/** What is to be done next, and what is known then. */
export interface Decision<Facts> {
  readonly step: StepName;
  readonly facts: Facts;
  readonly say: Say;
  readonly act?: Act;
  /** When to look again although nothing changed, ms. */
  readonly againMs?: number;
}

const nothing = { ready: false, working: false, stalled: false, approval: false };

/** Something goes on; an object that was ready stays so. */
export const working = (reason: string, message: string, ready = false): Say => ({
  ...nothing,
  ready,
  working: true,
  reason,
  message,
});

/** A person has to do something. */
export const stalled = (reason: string, message: string): Say => ({ ...nothing, stalled: true, reason, message });

/** A plan waits for a yes. */
export const approval = (reason: string, message: string): Say => ({ ...nothing, approval: true, reason, message });

/** Nothing is due. */
export const settled = (ready: boolean, reason: string, message: string): Say => ({
  ...nothing,
  ready,
  reason,
  message,
});
