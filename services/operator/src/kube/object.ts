import type {
  KubernetesObject,
  V1Job,
  V1Lease,
  V1ObjectMeta,
  V1OwnerReference,
  V1Pod,
  V1Secret,
} from '@kubernetes/client-node';

/** Any object of a cluster, or one of a type of client-node, with its name. Times are Date in a list and text in a watch. */
export type KubeObject<T extends KubernetesObject = KubernetesObject & { spec?: unknown; status?: unknown }> = Omit<
  T,
  'metadata'
> & { readonly metadata: V1ObjectMeta & { readonly name: string } };

export type Job = KubeObject<V1Job>;
export type Pod = KubeObject<V1Pod>;
export type Lease = KubeObject<V1Lease>;
export type Secret = KubeObject<V1Secret>;

/** A kind of custom objects, in namespaces. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
}

/** Identifies one object: `namespace/name`. */
export type Key = string;

/** The name and namespace of an object. */
export interface ObjectRef {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** The key of an object. */
export const keyOf = ({ namespace = '', name }: ObjectRef): Key => `${namespace}/${name}`;

/** `group/version`. */
export const apiVersionOf = ({ group, version }: Resource): string => `${group}/${version}`;

/**
 * Creates the owner reference of the controlling owner.
 * @throws TypeError when the owner was never stored
 */
export const ownerReference = (resource: Resource, { metadata }: KubeObject): V1OwnerReference => {
  if (!metadata.uid) throw new TypeError(`${keyOf(metadata)} has no uid yet`);
  const { name, uid } = metadata;
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid, controller: true };
};
