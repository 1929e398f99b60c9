import {
  isRecord,
  keyOf,
  objectsOf,
  ownedBy,
  relatedTo,
  type Informer,
  type Key,
  type KubeObject,
  type Resource,
  type Source,
} from '@ranger-relay/operator-kit';
import { forAnnotation, patrolSyncs, rollbacks } from '../api/group.ts';
import { readHolder } from '../hold/hold.ts';

/** The informers of the operator. */
export interface Informers {
  readonly syncs: Informer;
  readonly rollbacks: Informer;
  readonly jobs: Informer;
  readonly pods: Informer;
  readonly holds: Informer;
}

/** The object that a pod works for. */
const workedFor =
  ({ kind }: Resource) =>
  ({ metadata }: KubeObject): readonly Key[] => {
    const [of, name] = (metadata.annotations?.[forAnnotation] ?? '').split('/');
    return of === kind && name !== undefined ? [keyOf({ namespace: metadata.namespace, name })] : [];
  };

/** The object that a Lease of a site names. */
const holderOf =
  ({ kind }: Resource) =>
  (lease: KubeObject): readonly Key[] => {
    const holder = readHolder(lease);
    return holder?.kind === kind ? [keyOf(holder)] : [];
  };

const syncNameOf = ({ spec }: KubeObject): string | undefined => {
  const ref = isRecord(spec) ? spec['syncRef'] : undefined;
  const name = isRecord(ref) ? ref['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
};

const namedSync = (rollback: KubeObject): readonly Key[] => {
  const name = syncNameOf(rollback);
  return name === undefined ? [] : [keyOf({ namespace: rollback.metadata.namespace, name })];
};

const common = (resource: Resource, { jobs, pods, holds }: Informers): readonly Source[] => [
  ownedBy(resource, jobs),
  relatedTo(pods, workedFor(resource)),
  relatedTo(holds, holderOf(resource)),
];

/** What leads to runs for a PatrolSync. */
export const syncSources = (informers: Informers): readonly Source[] => [
  objectsOf(informers.syncs),
  ...common(patrolSyncs, informers),
  relatedTo(informers.rollbacks, namedSync),
];

/** What leads to runs for a PatrolSyncRollback. */
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
