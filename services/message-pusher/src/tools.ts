import type { Inbound } from '@ranger-relay/device';
import type { PushDeps } from './push/parts.ts';

/** What the actions of this service work with beside what every run is given. */
export interface PushActionDependencies extends PushDeps {
  readonly inbound: Inbound;
}
