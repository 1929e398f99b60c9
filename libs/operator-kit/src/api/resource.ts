import type { V1OwnerReference } from '@kubernetes/client-node';
import { RelayError } from '@ranger-relay/errors';
import { keyOf, type KubeObject, type ObjectRef } from './object.ts';

/** One kind of object and its path at the API server. */
export interface Resource<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** The type of the objects; used only by the compiler. */
  readonly object?: T;
}

/** `group/version`, or `version` for the core group. */
export const apiVersionOf = ({ group, version }: Resource): string => (group === '' ? version : `${group}/${version}`);

/** The parts of a path in addition to the kind. */
export interface Place {
  readonly namespace?: string | undefined;
  readonly name?: string;
  readonly subresource?: 'status';
}

/** Rejects names that would change the path: an empty name would select all objects, and dots another path. */
const segment = (text: string): string => {
  if (!/^\.{0,2}$/.test(text)) return encodeURIComponent(text);
  const reason = `"${text}" is no name`;
  throw new RelayError('kube_refused', { details: { target: 'a path', status: 400, reason } });
};

/**
 * Returns the path of a list, an object or a subresource.
 * @throws RelayError `kube_refused` for an invalid name
 */
export const pathOf = (resource: Resource, { namespace, name, subresource }: Place = {}): string =>
  [
    resource.group === '' ? '/api' : `/apis/${segment(resource.group)}`,
    segment(resource.version),
    ...(resource.namespaced && namespace ? ['namespaces', segment(namespace)] : []),
    segment(resource.plural),
    ...(name === undefined ? [] : [segment(name)]),
    ...(subresource === undefined ? [] : [subresource]),
  ].join('/');

/** Adds the kind, which objects of a list lack. */
export const withKind = <T extends KubeObject>(resource: Resource<T>, object: T): T =>
  object.kind === undefined ? { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind } : object;

/**
 * Creates the owner reference of the controlling owner.
 * @throws TypeError when the owner was never stored
 */
export const ownerReference = (resource: Resource, { metadata }: KubeObject): V1OwnerReference => {
  if (!metadata.uid) throw new TypeError(`${keyOf(metadata)} has no uid yet`);
  const { name, uid } = metadata;
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid, controller: true };
};

/** Returns the name and namespace of the controlling owner of a kind; undefined without one. */
export const ownerOf = (resource: Resource, { metadata }: KubeObject): ObjectRef | undefined => {
  const owner = metadata.ownerReferences?.find(
    ({ controller, kind, apiVersion }) =>
      controller === true &&
      kind === resource.kind &&
      apiVersion.split('/')[0] === apiVersionOf(resource).split('/')[0],
  );
  return owner ? { namespace: resource.namespaced ? metadata.namespace : undefined, name: owner.name } : undefined;
};
