import { isRelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import type { ObjectRef } from '../api/object.ts';
import type { CallOptions, KubeApi } from '../api/port.ts';
import { leases, readLease, writeLease } from './record.ts';

/** Whether a claim is one's own now, or whose it is. */
export type Claimed = { readonly kind: 'held' } | { readonly kind: 'foreign'; readonly holder: string };

/** Who claims what, and what may happen to the claim of another one. */
export interface LeaseRequest {
  readonly lease: ObjectRef;
  /** Whoever claims: the same after a restart of this process. */
  readonly holder: string;
  /** Says whether another one has lost its claim, because it is gone for good. */
  readonly hasLost: (holder: string) => boolean | Promise<boolean>;
}

/**
 * Exclusive claims that outlive a process: a Lease that holds without being renewed, until it is given back or its holder is known to be gone.
 * For what must not be done by two at once and cannot be broken off, where a lease that runs out would be wrong.
 */
export interface Claims {
  /** Claims, or finds that it is claimed. @throws RelayError `kube_*`; `kube_conflict` when others are at it at the same moment */
  take(wish: LeaseRequest, options?: CallOptions): Promise<Claimed>;
  /** Gives a claim back when it is this holder's. @throws RelayError `kube_*` */
  release(lease: ObjectRef, holder: string, options?: CallOptions): Promise<void>;
}

/** Longer than any holder works: the time of a claim is for people who look at it. */
const shownMs = 86_400_000;

/** Makes the claims of a cluster. */
export const createClaims = ({ api, clock }: { readonly api: KubeApi; readonly clock: Clock }): Claims => ({
  async take({ lease: ref, holder, hasLost }, options) {
    const seen = await api.find(leases, ref, options);
    const present = seen ? readLease(seen).holder : '';
    if (present !== '' && present !== holder && !(await hasLost(present))) return { kind: 'foreign', holder: present };
    // Also when it is one's own: an earlier release that is still on its way must come too late.
    const wanted = writeLease(ref, seen, { holder, durationMs: shownMs, now: clock.now() });
    await (seen ? api.replace(leases, wanted, options) : api.create(leases, wanted, options));
    return { kind: 'held' };
  },
  async release(ref, holder, options) {
    const seen = await api.find(leases, ref, options);
    if (!seen || readLease(seen).holder !== holder) return;
    const freed = writeLease(ref, seen, { holder: '', durationMs: shownMs, now: clock.now() });
    await api.replace(leases, freed, options).catch((error: unknown) => {
      if (!isRelayError(error, 'kube_not_found')) throw error;
    });
  },
});
