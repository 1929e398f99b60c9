import { holdLabel, managedBy } from '../api/group.ts';
import { shortHash } from '../decide/names.ts';
import type { SiteLockView } from '../decide/observed.ts';
import type { KubeObject, Lease, Resource } from '../kube/object.ts';
import type { KubeClient } from '../kube/client.ts';

/** Holder of a Lease: an object, not a process, so that any process of the operator continues its work. */
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

/** Holder of a Lease as it is stored; empty for nobody. */
export const holderTextOf = (lease: Lease | undefined): string => lease?.spec?.holderIdentity ?? '';

/** Object that holds a Lease; undefined when there is no holder or it is not an object of the operator. */
export const readHolder = (lease: Lease | undefined): Holder | undefined => {
  const [kind, namespace, name, uid, ...more] = holderTextOf(lease).split('/');
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
  const text = holderTextOf(lease);
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
  readonly client: Pick<KubeClient, 'coordination' | 'merge'>;
  /** Namespace of the Leases. */
  readonly namespace: string;
  readonly now: number;
}

/** Writes a holder over the version that was seen; null for nobody. @throws RelayError `kube_conflict`, `kube_exists` */
const writeHolder = async (
  { client, namespace, now }: SiteLockDependencies,
  name: string,
  lease: Lease | undefined,
  holderIdentity: string | null,
): Promise<void> => {
  // Text, because the client would write a Date without microseconds.
  const time = new Date(now).toISOString().replace('Z', '000Z');
  const spec = { holderIdentity, renewTime: time, ...(holderIdentity === null ? {} : { acquireTime: time }) };
  if (lease) {
    const { uid, resourceVersion } = lease.metadata;
    const body = { metadata: { uid, resourceVersion }, spec };
    await client.coordination.patchNamespacedLease({ namespace, name, body }, client.merge);
  } else {
    const metadata = { name, namespace, labels: { ...managedBy, [holdLabel]: 'site' } };
    await client.coordination.createNamespacedLease({ namespace, body: { metadata, spec } as never });
  }
};

/** Acquires or renews a Lease at the observed version. @throws RelayError `kube_conflict`, `kube_exists` when another writer was faster */
export const acquireSiteLock = (
  deps: SiteLockDependencies,
  name: string,
  lease: Lease | undefined,
  me: Holder,
): Promise<void> => writeHolder(deps, name, lease, holderText(me));

/** Releases a Lease at the observed version. @throws RelayError `kube_conflict` */
export const releaseSiteLock = (deps: SiteLockDependencies, lease: Lease): Promise<void> =>
  writeHolder(deps, lease.metadata.name, lease, null);
