import type { Clock } from '@ranger-relay/runtime';
import type { JobSettings } from '../jobs/pod.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Recorder } from '../kube/recorder.ts';
import type { Caches } from './caches.ts';

/** Dependencies of a reconcile. */
export interface ReconcileDependencies {
  readonly client: KubeClient;
  readonly caches: Caches;
  readonly clock: Pick<Clock, 'now'>;
  readonly recorder: Pick<Recorder, 'record'>;
  readonly settings: JobSettings;
  /** Namespace of the site Leases: the operator's own. */
  readonly namespace: string;
}
