import type { KubeApi, Recorder } from '@ranger-relay/operator-kit';
import type { Clock } from '@ranger-relay/runtime';
import type { JobSettings } from '../jobs/pod.ts';
import type { Caches } from './sources.ts';

/** The name under which the operator writes. */
export const fieldManager = 'ranger-relay-operator';

/** What a reconcile works with. */
export interface ReconcileDependencies {
  readonly api: KubeApi;
  readonly caches: Caches;
  readonly clock: Pick<Clock, 'now'>;
  readonly recorder: Pick<Recorder, 'record'>;
  readonly settings: JobSettings;
  /** Where the Leases of sites are: the operator’s own namespace. */
  readonly namespace: string;
}
