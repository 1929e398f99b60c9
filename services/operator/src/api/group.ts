import type { Resource } from '@ranger-relay/operator-kit';

/** The API group of both kinds. */
export const group = 'ranger-relay.dev';
/** Its version. */
export const version = 'v1alpha1';

const resourceOf = (plural: string, kind: string): Resource => ({ group, version, plural, kind, namespaced: true });

export const patrolSyncs = resourceOf('patrolsyncs', 'PatrolSync');
export const rollbacks = resourceOf('patrolsyncrollbacks', 'PatrolSyncRollback');

/** On a PatrolSync: another value asks for another run of the same spec. */
export const runAnnotation = `${group}/run`;
/** On pods of Jobs: kind and name of the object that they work for, `PatrolSync/name`. */
export const forAnnotation = `${group}/for`;
/** On Secrets: the host of the site that they may be used for, over HTTPS on its usual port. */
export const siteLabel = `${group}/site`;
/** On Secrets: the endpoint that they may be used for, where a label cannot name it. */
export const siteAnnotation = `${group}/site-endpoint`;
/** On Jobs and their pods: uid of the object that they work for. */
export const ownerLabel = `${group}/owner`;
/** On Jobs: what they do. */
export const commandLabel = `${group}/command`;
/** On Leases: that they stand for a site. */
export const holdLabel = `${group}/hold`;
/** On Jobs and pods: who made them. */
export const managedBy = { 'app.kubernetes.io/managed-by': 'ranger-relay-operator' } as const;
