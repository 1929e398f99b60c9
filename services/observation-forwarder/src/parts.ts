import type { Bus } from '@ranger-relay/bus';
import type { KvSpace } from '@ranger-relay/kv';
import type { Sensors as PlatformSensors } from '@ranger-relay/platform';
import type { Context } from '@ranger-relay/runtime';
import type { Attempts } from './attempts.ts';
import type { Dedup } from './dedup.ts';
import type { Failures } from './failures.ts';
import type { Notices } from './notices.ts';
import type { Parking } from './parking.ts';
import type { Rotation } from './rotation.ts';
import type { SosWatch } from './sos-watch.ts';

/** The platform's sensors API, as the forwarder uses it. */
export type Sensors = Pick<PlatformSensors, 'postObservations' | 'postMessages'>;

/** What forwarding works with. */
export interface ForwardParts {
  readonly context: Pick<Context, 'clock' | 'random' | 'log' | 'metrics'>;
  readonly bus: Bus;
  readonly state: KvSpace;
  readonly sensors: Sensors;
  readonly dedup: Dedup;
  readonly attempts: Attempts;
  readonly failures: Failures;
  readonly parking: Parking;
  readonly rotation: Rotation;
  readonly notices: Notices;
  readonly sosWatch: SosWatch;
  /** Name of this worker in claims; the same again after a restart where only one can run. */
  readonly owner: string;
  /** Ends the waits of these integrations' lanes. */
  readonly wake: (integrationIds: readonly string[]) => void;
}
