import {
  leases,
  readLease,
  type CallOptions,
  type KubeApi,
  type KubeObject,
  type Lease,
  type Resource,
} from '@ranger-relay/operator-kit';
import { holdLabel, managedBy } from '../api/group.ts';
import { shortHash } from '../decide/names.ts';
import type { SiteLockView } from '../decide/observed.ts';

/** Holder of a Lease: an object, not a process, so that any leading replica continues its work. */
export interface Holder {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Normalized host and port of a site. */
const hostOf = (endpoint: string): string => {
  const url = URL.parse(/^https?:\/\//i.test(endpoint) ? endpoint : `https://${endpoint}`);
  return url ? url.host : endpoint.toLowerCase();
};

/** Name of the Lease of a site. All areas of a site share it: the area of a bundle is unknown before its plan. */
export const siteLockName = (endpoint: string): string => `site-${shortHash(hostOf(endpoint))}`;

export const holderText = ({ kind, namespace, name, uid }: Holder): string => [kind, namespace, name, uid].join('/');

/** Object that holds a Lease; undefined when there is no holder or it is not an object of the operator. */
export const readHolder = (lease: Lease | undefined): Holder | undefined => {
  const [kind, namespace, name, uid, ...more] = lease ? readLease(lease).holder.split('/') : [];
  if (kind === undefined || namespace === undefined || name === undefined || uid === undefined || more.length > 0)
    return undefined;
  return { kind, namespace, name, uid };
};

export const holderOf = (resource: Resource, { metadata }: KubeObject): Holder => ({
  kind: resource.kind,
  namespace: metadata.namespace ?? '',
  name: metadata.name,
  uid: metadata.uid ?? '',
});

/** View of a Lease for an object. `isGone`: the holder no longer exists and no Job or pod works for it. */
export const viewSiteLock = (
  lease: Lease | undefined,
  me: Holder,
  isGone: (holder: Holder) => boolean,
): SiteLockView => {
  const text = lease ? readLease(lease).holder : '';
  const holder = readHolder(lease);
  const free = text === '' || (holder !== undefined && isGone(holder));
  return {
    mine: text === holderText(me),
    free,
    holder: holder ? `${holder.kind} ${holder.namespace}/${holder.name}` : text,
  };
};

/** Dependencies of Lease calls. */
export interface SiteLockDependencies {
  readonly api: KubeApi;
  readonly namespace: string;
  readonly now: number;
}

const written = (
  lease: Lease | undefined,
  name: string,
  holder: string,
  { namespace, now }: SiteLockDependencies,
): Lease => {
  const time = new Date(now).toISOString().replace('Z', '000Z');
  const { holderIdentity: _, ...rest } = lease?.spec ?? {};
  return {
    ...lease,
    metadata: { ...lease?.metadata, name, namespace, labels: { ...managedBy, [holdLabel]: 'site' } },
    spec: { ...rest, ...(holder === '' ? {} : { holderIdentity: holder, acquireTime: time }), renewTime: time },
  };
};

/** Acquires a Lease at the observed version. @throws RelayError `kube_conflict`, `kube_exists` when another writer was faster */
export const acquireSiteLock = async (
  parts: SiteLockDependencies,
  name: string,
  lease: Lease | undefined,
  me: Holder,
  options: CallOptions,
): Promise<void> => {
  const wanted = written(lease, name, holderText(me), parts);
  await (lease ? parts.api.replace(leases, wanted, options) : parts.api.create(leases, wanted, options));
};

/** Releases a Lease at the observed version. @throws RelayError `kube_conflict` */
export const releaseSiteLock = async (
  parts: SiteLockDependencies,
  lease: Lease,
  options: CallOptions,
): Promise<void> => {
  await parts.api.replace(leases, written(lease, lease.metadata.name, '', parts), options);
};
