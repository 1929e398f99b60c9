import { forAnnotation, patrolSyncs } from '../api/group.ts';
import { rollbackSpecSchema } from '../api/rollback.ts';
import { type Key, keyOf, type KubeObject } from '../kube/object.ts';
import type { WorkQueue } from '../kube/work-queue.ts';
import { readHolder } from '../site-lock/site-lock.ts';
import type { Informers } from './caches.ts';

const syncRefSchema = rollbackSpecSchema.pick({ syncRef: true });

/** Key of the PatrolSync that a rollback names. */
const namedSync = ({ spec, metadata: { namespace } }: KubeObject): Key | undefined => {
  const name = syncRefSchema.safeParse(spec).data?.syncRef.name;
  return name === undefined ? undefined : keyOf({ namespace, name });
};

/** Adds an object to its queue whenever it changes, or a Job, a pod, a site Lease or an object of the other kind that concerns it. */
export const addTriggers = (
  informers: Informers,
  queues: Readonly<Record<'syncs' | 'rollbacks', Pick<WorkQueue, 'add'>>>,
): void => {
  const add = (kind: string | undefined, name: string | undefined, namespace: string | undefined): void => {
    if (name !== undefined) queues[kind === patrolSyncs.kind ? 'syncs' : 'rollbacks'].add(keyOf({ namespace, name }));
  };
  /** Jobs and their pods name the object that they work for. */
  const addOwner = ({ metadata: { annotations, namespace } }: KubeObject): void => {
    const [kind, name] = (annotations?.[forAnnotation] ?? '').split('/');
    add(kind, name, namespace);
  };
  informers.jobs.onChange((job) => addOwner(job as KubeObject));
  informers.pods.onChange((pod) => addOwner(pod as KubeObject));
  informers.siteLocks.onChange((lease) => {
    const holder = readHolder(lease);
    add(holder?.kind, holder?.name, holder?.namespace);
  });
  informers.rollbacks.onChange((rollback) => {
    queues.rollbacks.add(keyOf(rollback.metadata));
    const sync = namedSync(rollback);
    if (sync !== undefined) queues.syncs.add(sync);
  });
  informers.syncs.onChange(({ metadata }) => {
    queues.syncs.add(keyOf(metadata));
    for (const rollback of informers.rollbacks.cache.values())
      if (namedSync(rollback) === keyOf(metadata)) queues.rollbacks.add(keyOf(rollback.metadata));
  });
};
