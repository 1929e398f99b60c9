import { holdLabel, managedBy, patrolSyncs, rollbacks } from '../api/group.ts';
import { belongsTo, viewJob, viewPod } from '../jobs/read.ts';
import type { Informer, Source } from '../kube/informer.ts';
import { type Job, keyOf, type Lease, type Pod, type Resource } from '../kube/object.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Holder } from '../site-lock/site-lock.ts';

/** The informers of the operator. */
export interface Informers {
  readonly syncs: Informer;
  readonly rollbacks: Informer;
  readonly jobs: Informer<Job>;
  readonly pods: Informer<Pod>;
  /** Leases of sites, all in one namespace. */
  readonly siteLocks: Informer<Lease>;
}

/** Caches of the watched objects. */
export type Caches = { readonly [Name in keyof Informers]: Informers[Name]['cache'] } & {
  /** Whether objects of a namespace are watched. */
  readonly covers: (namespace: string) => boolean;
};

type Sources = { readonly [Name in keyof Informers]: Informers[Name] extends Informer<infer T> ? Source<T> : never };

/** Where the objects come from. @param watched namespace of the objects; all when undefined. @param namespace of the site Leases */
export const sourcesOf = (
  { batch, core, coordination, custom }: KubeClient,
  watched: string | undefined,
  namespace: string,
): Sources => {
  const [labelSelector = ''] = Object.entries(managedBy).map(([label, value]) => `${label}=${value}`);
  const place = watched === undefined ? '' : `namespaces/${watched}/`;
  const objects = ({ group, version, plural, kind }: Resource): Source => ({
    kind,
    path: `/apis/${group}/${version}/${place}${plural}`,
    list: () =>
      watched === undefined
        ? custom.listClusterCustomObject({ group, version, plural })
        : custom.listNamespacedCustomObject({ group, version, plural, namespace: watched }),
  });
  const work = { namespace: watched ?? '', labelSelector };
  const locks = { namespace, labelSelector: `${holdLabel}=site` };
  return {
    syncs: objects(patrolSyncs),
    rollbacks: objects(rollbacks),
    jobs: {
      kind: 'Job',
      path: `/apis/batch/v1/${place}jobs`,
      labelSelector,
      list: () =>
        watched === undefined ? batch.listJobForAllNamespaces({ labelSelector }) : batch.listNamespacedJob(work),
    },
    pods: {
      kind: 'Pod',
      path: `/api/v1/${place}pods`,
      labelSelector,
      list: () =>
        watched === undefined ? core.listPodForAllNamespaces({ labelSelector }) : core.listNamespacedPod(work),
    },
    siteLocks: {
      kind: 'Lease',
      path: `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`,
      labelSelector: locks.labelSelector,
      list: () => coordination.listNamespacedLease(locks),
    },
  };
};

/** The caches of the informers. */
export const cachesOf = (informers: Informers, watched: string | undefined): Caches => ({
  covers: (namespace) => watched === undefined || watched === namespace,
  syncs: informers.syncs.cache,
  rollbacks: informers.rollbacks.cache,
  jobs: informers.jobs.cache,
  pods: informers.pods.cache,
  siteLocks: informers.siteLocks.cache,
});

/** Jobs and pods that work for an object. */
export const workOf = ({ jobs, pods }: Pick<Caches, 'jobs' | 'pods'>, uid: string) => {
  const ownPods = pods.values().filter((pod) => belongsTo(uid, pod));
  const ownJobs = jobs.values().filter((job) => belongsTo(uid, job));
  return {
    ownPods,
    jobs: ownJobs.flatMap((job) => viewJob(job, ownPods) ?? []),
    pods: ownPods.flatMap((pod) => viewPod(pod) ?? []),
  };
};

/** Whether the holder of a Lease no longer exists and no Job or pod works for it. */
export const isGone = (caches: Caches, { kind, namespace, name, uid }: Holder): boolean => {
  if (!caches.covers(namespace)) return false;
  const from = kind === patrolSyncs.kind ? caches.syncs : caches.rollbacks;
  if (from.get(keyOf({ namespace, name }))?.metadata.uid === uid) return false;
  const { jobs, pods } = workOf(caches, uid);
  return pods.length === 0 && jobs.every(({ ended }) => ended);
};
