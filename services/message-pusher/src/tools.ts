import type { Inbound } from '@ranger-relay/device';
import type { PushDeps } from './push/dependencies.ts';

/** Dependencies of this service's actions besides those that every run gets. */
export interface PushActionDependencies extends PushDeps {
  readonly inbound: Inbound;
}
