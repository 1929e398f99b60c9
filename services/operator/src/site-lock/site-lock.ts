import {
  isRecord,
  leases,
  readLease,
  type CallOptions,
  type KubeApi,
  type KubeObject,
  type Resource,
} from '@ranger-relay/operator-kit';
import { holdLabel, managedBy } from '../api/group.ts';
import { shortHash } from '../decide/names.ts';
import type { SiteLockView } from '../decide/observed.ts';

/** Who has a Lease: an object, not a process; whichever replica leads goes on with it. */
export interface Holder {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Host and port of a site, however it is written. */
const hostOf = (endpoint: string): string => {
  const url = URL.parse(/^https?:\/\//i.test(endpoint) ? endpoint : `https://${endpoint}`);
  return url ? url.host : endpoint.toLowerCase();
};

/** The Lease of a site. Areas of one site share it: which area a bundle is of is known to nobody before its plan. */
export const siteLockName = (endpoint: string): string => `site-${shortHash(hostOf(endpoint))}`;

export const holderText = ({ kind, namespace, name, uid }: Holder): string => [kind, namespace, name, uid].join('/');

/** The object that a Lease names; undefined for nobody, or for somebody who is no object of ours. */
export const readHolder = (lease: KubeObject | undefined): Holder | undefined => {
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

/** What an object sees of a Lease. `isGone`: the holder is not there any more, and nothing works for it. */
export const viewSiteLock = (
  lease: KubeObject | undefined,
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

/** Where Leases are, and how they are written. */
export interface SiteLockDependencies {
  readonly api: KubeApi;
  readonly namespace: string;
  readonly now: number;
}

const written = (
  lease: KubeObject | undefined,
  name: string,
  holder: string,
  { namespace, now }: SiteLockDependencies,
): KubeObject => {
  const time = new Date(now).toISOString().replace('Z', '000Z');
  const spec = isRecord(lease?.spec) ? lease.spec : {};
  const { holderIdentity: _, ...rest } = spec;
  return {
    ...lease,
    metadata: { ...lease?.metadata, name, namespace, labels: { ...managedBy, [holdLabel]: 'site' } },
    spec: { ...rest, ...(holder === '' ? {} : { holderIdentity: holder, acquireTime: time }), renewTime: time },
  };
};

/** Takes a Lease over the version that was seen. @throws RelayError `kube_conflict`, `kube_exists` when somebody was faster */
export const acquireSiteLock = async (
  parts: SiteLockDependencies,
  name: string,
  lease: KubeObject | undefined,
  me: Holder,
  options: CallOptions,
): Promise<void> => {
  const wanted = written(lease, name, holderText(me), parts);
  await (lease ? parts.api.replace(leases, wanted, options) : parts.api.create(leases, wanted, options));
};

/** Gives a Lease back over the version that was seen. @throws RelayError `kube_conflict` */
export const releaseSiteLock = async (
  parts: SiteLockDependencies,
  lease: KubeObject,
  options: CallOptions,
): Promise<void> => {
  await parts.api.replace(leases, written(lease, lease.metadata.name, '', parts), options);
};
