import type { Bus } from '@ranger-relay/bus';
import type { KvSpace } from '@ranger-relay/kv';
import type { Activity, Integrations } from '@ranger-relay/platform';
import type { Context } from '@ranger-relay/runtime';
import type { Catalogue } from '../define/catalogue.ts';
import type { RunLimits } from './admission.ts';

/** The dependencies of the runtime of a service. */
export interface RuntimeDeps {
  /** Integration type of the actions. */
  readonly slug: string;
  readonly catalogue: Catalogue;
  readonly integrations: Pick<Integrations, 'integration' | 'actionConfig' | 'reload'>;
  readonly activity: Pick<Activity, 'action'>;
  /** The state space of the key-value store. */
  readonly state: KvSpace;
  readonly bus: Pick<Bus, 'publish'>;
  readonly context: Pick<Context, 'clock' | 'random' | 'log' | 'conditions'>;
  /** Passed to handlers as `tools`. */
  readonly tools?: unknown;
  /** Commands topic of this service. */
  readonly commandsTopic: string;
  /** MAX_ACTION_EXECUTION_TIME, ms: from the request to the end of the handler; default 540,000. */
  readonly maxExecutionMs?: number;
  /** Concurrent runs: default 100, and 20 for one integration. */
  readonly limits?: RunLimits;
}
