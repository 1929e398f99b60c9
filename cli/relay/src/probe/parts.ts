import type { Bus } from '@ranger-relay/bus';
import type { HttpClient } from '@ranger-relay/http';
import type { KvSpace } from '@ranger-relay/kv';
import type { Clock, Random } from '@ranger-relay/runtime';
import type { Post } from '../simulate/post.ts';
import type { ProbeEvent } from './event.ts';

/** How far a probe goes. */
export const goals = ['ready', 'stored', 'accepted'] as const;

export type Goal = (typeof goals)[number];

/** What every step works with. */
export interface StepParts {
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted when the time is over or somebody interrupts. */
  readonly signal: AbortSignal;
  /** What is waited for now, for people. */
  readonly tell: (what: string) => void;
  /** Address of the webhook. */
  readonly url: string;
}

/** What asking for readiness works with. */
export interface ReadyParts extends StepParts {
  readonly http: Pick<HttpClient, 'request'>;
}

/** What sending an event works with. */
export interface ProbeParts extends StepParts {
  readonly post: Post;
}

/** Where what became of an event can be seen. */
export interface Sight {
  readonly bus: Pick<Bus, 'read' | 'pending'>;
  /** The state space of the store. */
  readonly state: Pick<KvSpace, 'get'>;
}

/** A test event and whose it is. */
export interface Sent extends ProbeEvent {
  readonly integration: string;
}
