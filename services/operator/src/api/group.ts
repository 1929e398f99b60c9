import type { Resource } from '../kube/object.ts';

/** The API group of both kinds. */
export const group = 'ranger-relay.dev';
/** API version of both kinds. */
export const version = 'v1alpha1';

const resourceOf = (plural: string, kind: string): Resource => ({ group, version, plural, kind });

export const patrolSyncs = resourceOf('patrolsyncs', 'PatrolSync');
export const rollbacks = resourceOf('patrolsyncrollbacks', 'PatrolSyncRollback');

/** On a PatrolSync: a changed value requests another run of the same spec. */
export const runAnnotation = `${group}/run`;
/** On pods of Jobs: kind and name of the owning object, `PatrolSync/name`. */
export const forAnnotation = `${group}/for`;
/** On Secrets: host of the site that they may be used for, over HTTPS on the default port. */
export const siteLabel = `${group}/site`;
/** On Secrets: endpoint that they may be used for, when a label cannot express it. */
export const siteAnnotation = `${group}/site-endpoint`;
/** On Jobs and their pods: uid of the owning object. */
export const ownerLabel = `${group}/owner`;
/** On Jobs: their command. */
export const commandLabel = `${group}/command`;
/** On Leases: marks the lock of a site. */
export const holdLabel = `${group}/hold`;
/** On Jobs and pods: the managing component. */
export const managedBy = { 'app.kubernetes.io/managed-by': 'ranger-relay-operator' } as const;
