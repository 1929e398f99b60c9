import {
  type Informer,
  type Key,
  keyOf,
  type KubeObject,
  objectsOf,
  ownedBy,
  type Lease,
  type ReadableCache,
  relatedTo,
  type Resource,
  type Source,
} from '@ranger-relay/operator-kit';
import { forAnnotation, patrolSyncs, rollbacks } from '../api/group.ts';
import { rollbackSpecSchema } from '../api/rollback.ts';
import { type Holder, readHolder } from '../site-lock/site-lock.ts';
import type { Job } from '../jobs/manifest.ts';
import type { Pod } from '../jobs/pod.ts';
import { belongsTo, viewJob, viewPod } from '../jobs/read.ts';

/** Caches of the watched resources. */
export interface Caches {
  readonly syncs: Pick<ReadableCache, 'get' | 'values'>;
  readonly rollbacks: Pick<ReadableCache, 'get' | 'values'>;
  readonly jobs: Pick<ReadableCache<Job>, 'values'>;
  readonly pods: Pick<ReadableCache<Pod>, 'values'>;
  /** Leases of sites, all in one namespace. */
  readonly holds: Pick<ReadableCache<Lease>, 'get' | 'values'>;
  /** Whether objects of a namespace are watched. */
  readonly covers: (namespace: string) => boolean;
}

/** Jobs and pods that work for an object. */
export const workOf = ({ jobs, pods }: Caches, uid: string) => {
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
  const object: KubeObject | undefined = from.get(keyOf({ namespace, name }));
  if (object?.metadata.uid === uid) return false;
  const { jobs, pods } = workOf(caches, uid);
  return pods.length === 0 && jobs.every(({ ended }) => ended);
};

/** The informers of the operator. */
export interface Informers {
  readonly syncs: Informer;
  readonly rollbacks: Informer;
  readonly jobs: Informer<Job>;
  readonly pods: Informer<Pod>;
  readonly holds: Informer<Lease>;
}

/** Key of the object that a pod works for. */
const workedFor =
  ({ kind }: Resource) =>
  ({ metadata }: Pod): readonly Key[] => {
    const [of, name] = (metadata.annotations?.[forAnnotation] ?? '').split('/');
    return of === kind && name !== undefined ? [keyOf({ namespace: metadata.namespace, name })] : [];
  };

/** Key of the object that holds a site Lease. */
const holderOf =
  ({ kind }: Resource) =>
  (lease: Lease): readonly Key[] => {
    const holder = readHolder(lease);
    return holder?.kind === kind ? [keyOf(holder)] : [];
  };

const syncRefSchema = rollbackSpecSchema.pick({ syncRef: true });

const syncNameOf = ({ spec }: KubeObject): string | undefined => syncRefSchema.safeParse(spec).data?.syncRef.name;

const namedSync = (rollback: KubeObject): readonly Key[] => {
  const name = syncNameOf(rollback);
  return name === undefined ? [] : [keyOf({ namespace: rollback.metadata.namespace, name })];
};

const common = (resource: Resource, { jobs, pods, holds }: Informers): readonly Source[] => [
  ownedBy(resource, jobs),
  relatedTo(pods, workedFor(resource)),
  relatedTo(holds, holderOf(resource)),
];

/** Sources that trigger reconciles of a PatrolSync. */
export const syncSources = (informers: Informers): readonly Source[] => [
  objectsOf(informers.syncs),
  ...common(patrolSyncs, informers),
  relatedTo(informers.rollbacks, namedSync),
];

/** Sources that trigger reconciles of a PatrolSyncRollback. */
export const rollbackSources = (informers: Informers): readonly Source[] => [
  objectsOf(informers.rollbacks),
  ...common(rollbacks, informers),
  relatedTo(informers.syncs, ({ metadata }) =>
    informers.rollbacks.cache
      .values()
      .filter((each) => each.metadata.namespace === metadata.namespace && syncNameOf(each) === metadata.name)
      .map((each) => keyOf(each.metadata)),
  ),
];
