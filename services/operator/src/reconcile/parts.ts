import type { KubeApi, Recorder } from '@ranger-relay/operator-kit';
import type { Clock } from '@ranger-relay/runtime';
import type { JobSettings } from '../jobs/pod.ts';
import type { Caches } from './sources.ts';

/** Field manager of the operator. */
export const fieldManager = 'ranger-relay-operator';

/** Dependencies of a reconcile. */
export interface ReconcileDependencies {
  readonly api: KubeApi;
  readonly caches: Caches;
  readonly clock: Pick<Clock, 'now'>;
  readonly recorder: Pick<Recorder, 'record'>;
  readonly settings: JobSettings;
  /** Namespace of the site Leases: the operator's own. */
  readonly namespace: string;
}
