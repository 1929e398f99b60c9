import { keyOf, type KubeObject, type ReadableCache } from '@ranger-relay/operator-kit';
import { patrolSyncs } from '../api/group.ts';
import type { Holder } from '../hold/hold.ts';
import { belongsTo, viewJob, viewPod } from '../jobs/read.ts';

/** Copies of what the operator watches. */
export interface Caches {
  readonly syncs: Pick<ReadableCache, 'get' | 'values'>;
  readonly rollbacks: Pick<ReadableCache, 'get' | 'values'>;
  readonly jobs: Pick<ReadableCache, 'values'>;
  readonly pods: Pick<ReadableCache, 'values'>;
  /** Leases of sites, all in one namespace. */
  readonly holds: Pick<ReadableCache, 'get' | 'values'>;
  /** Whether objects of a namespace are watched. */
  readonly covers: (namespace: string) => boolean;
}

/** What works for an object. */
export const workOf = ({ jobs, pods }: Caches, uid: string) => {
  const ownPods = pods.values().filter((pod) => belongsTo(uid, pod));
  const ownJobs = jobs.values().filter((job) => belongsTo(uid, job));
  return {
    ownPods,
    jobs: ownJobs.flatMap((job) => viewJob(job, ownPods) ?? []),
    pods: ownPods.flatMap((pod) => viewPod(pod) ?? []),
  };
};

/** The holder of a Lease is not there any more, and no Job and no pod works for it. */
export const isGone = (caches: Caches, { kind, namespace, name, uid }: Holder): boolean => {
  if (!caches.covers(namespace)) return false;
  const from = kind === patrolSyncs.kind ? caches.syncs : caches.rollbacks;
  const object: KubeObject | undefined = from.get(keyOf({ namespace, name }));
  if (object?.metadata.uid === uid) return false;
  const { jobs, pods } = workOf(caches, uid);
  return pods.length === 0 && jobs.every(({ ended }) => ended);
};
