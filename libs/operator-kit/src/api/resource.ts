import type { V1OwnerReference } from '@kubernetes/client-node';
import { RelayError } from '@ranger-relay/errors';
import { keyOf, type KubeObject, type ObjectRef } from './object.ts';

/** One kind of objects and where the API server keeps them. */
export interface Resource<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** The type of its objects, for the compiler alone. */
  readonly object?: T;
}

/** `group/version`, or `version` for the core group. */
export const apiVersionOf = ({ group, version }: Resource): string => (group === '' ? version : `${group}/${version}`);

/** What a path leads to beside the kind. */
export interface Place {
  readonly namespace?: string | undefined;
  readonly name?: string;
  readonly subresource?: 'status';
}

/** An empty name would mean all objects, and dots another place. */
const segment = (text: string): string => {
  if (!/^\.{0,2}$/.test(text)) return encodeURIComponent(text);
  const reason = `"${text}" is no name`;
  throw new RelayError('kube_refused', { details: { target: 'a path', status: 400, reason } });
};

/** The path of a list of objects, of one object, or of a part of one. @throws RelayError `kube_refused` for what is no name */
export const pathOf = (resource: Resource, { namespace, name, subresource }: Place = {}): string =>
  [
    resource.group === '' ? '/api' : `/apis/${segment(resource.group)}`,
    segment(resource.version),
    ...(resource.namespaced && namespace ? ['namespaces', segment(namespace)] : []),
    segment(resource.plural),
    ...(name === undefined ? [] : [segment(name)]),
    ...(subresource === undefined ? [] : [subresource]),
  ].join('/');

/** An object of a list says its kind nowhere; this puts it in. */
export const withKind = <T extends KubeObject>(resource: Resource<T>, object: T): T =>
  object.kind === undefined ? { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind } : object;

/** What makes one object the controlling owner of another. @throws TypeError when the owner was never stored */
export const ownerReference = (resource: Resource, { metadata }: KubeObject): V1OwnerReference => {
  if (!metadata.uid) throw new TypeError(`${keyOf(metadata)} has no uid yet`);
  const { name, uid } = metadata;
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid, controller: true };
};

/** Where the controlling owner of a kind is, for an object that has one. */
export const ownerOf = (resource: Resource, { metadata }: KubeObject): ObjectRef | undefined => {
  const owner = metadata.ownerReferences?.find(
    ({ controller, kind, apiVersion }) =>
      controller === true &&
      kind === resource.kind &&
      apiVersion.split('/')[0] === apiVersionOf(resource).split('/')[0],
  );
  return owner ? { namespace: resource.namespaced ? metadata.namespace : undefined, name: owner.name } : undefined;
};
