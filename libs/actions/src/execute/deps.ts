import type { Bus } from '@ranger-relay/bus';
import type { KvSpace } from '@ranger-relay/kv';
import type { Activity, Integrations } from '@ranger-relay/platform';
import type { Context } from '@ranger-relay/runtime';
import type { Catalogue } from '../define/catalogue.ts';
import type { RunLimits } from './admission.ts';

/** What the runtime of a service is built with. */
export interface RuntimeDeps {
  /** Integration type whose actions these are. */
  readonly slug: string;
  readonly catalogue: Catalogue;
  readonly integrations: Pick<Integrations, 'integration' | 'actionConfig' | 'reload'>;
  readonly activity: Pick<Activity, 'action'>;
  /** The state space of the key-value store. */
  readonly state: KvSpace;
  readonly bus: Pick<Bus, 'publish'>;
  readonly context: Pick<Context, 'clock' | 'random' | 'log'>;
  /** What handlers get as `tools`. */
  readonly tools?: unknown;
  /** Topic that commands of this service travel on. */
  readonly commandsTopic: string;
  /** MAX_ACTION_EXECUTION_TIME, ms: from the request to the end of the handler; default 540,000. */
  readonly maxExecutionMs?: number;
  /** Default 100 runs, 20 for one integration. */
  readonly limits?: RunLimits;
}
