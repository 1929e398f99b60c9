import { isRelayError } from '@ranger-relay/errors';
import { type Clock, runWithin } from '@ranger-relay/runtime';
import type { ObjectRef } from '../api/object.ts';
import type { KubeApi } from '../api/port.ts';
import { type Lease, leases, type LeaseTimes, readLease, writeLease } from './record.ts';

/** An observed lease, with times of the local monotonic clock. */
export interface Sighting {
  /** Undefined when there is none. */
  readonly lease: Lease | undefined;
  /** When this version was first observed. */
  readonly since: number;
  /** When the object with this uid was first observed. */
  readonly born: number;
}

/** Records the lease of a response at `now`; an unchanged lease keeps its earlier times. */
export const sight = (before: Sighting | undefined, lease: Lease | undefined, now: number): Sighting => {
  const [was, is] = [before?.lease?.metadata, lease?.metadata];
  if (!before || was?.uid !== is?.uid) return { lease, since: now, born: now };
  return was?.resourceVersion === is?.resourceVersion ? before : { lease, since: now, born: before.born };
};

/**
 * Whether this process may write the lease: it holds the lease, the lease was released, does not exist, or has not changed for its
 * duration. Only the time since the observed change counts, never a time that the lease contains.
 */
export const mayWrite = ({ lease, since }: Sighting, identity: string, ownMs: number, now: number): boolean => {
  if (!lease) return true;
  const { holder, durationMs } = readLease(lease);
  return holder === identity || holder === '' || now - since >= Math.max(ownMs, durationMs);
};

interface LockOptions {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly lease: ObjectRef;
  /** Unique identity of this holder; differs from that of an earlier process of the same pod. */
  readonly identity: string;
  readonly times: LeaseTimes;
}

/** Result of an attempt: held until a monotonic time, held by another process, or still open. */
export type Acquired =
  { readonly kind: 'held'; readonly until: number } | { readonly kind: 'foreign' } | { readonly kind: 'open' };

/** The lease from the view of one candidate. */
interface Lock {
  /**
   * Acquires or renews the lease if that is allowed. `holding`: the lease is valid now.
   * @throws RelayError `kube_*`, `deadline_exceeded`: the holder is unknown then
   */
  acquire(holding: boolean, signal: AbortSignal): Promise<Acquired>;
  /** Releases the lease if this process holds it, so that others need not wait. @throws as `acquire` */
  release(signal: AbortSignal): Promise<void>;
}

/**
 * Creates a lock for one caller at a time. A lease that this process created may replace one that was deleted while another process held
 * it. It counts as held only after the duration for which that process may still rely on its lease.
 */
export const createLock = ({ api, clock, lease: ref, identity, times }: LockOptions): Lock => {
  let sighting: Sighting | undefined;
  /** Whether the last write got a response: its version is then the current one, unless another process wrote since. */
  let certain = false;
  /** Uid of the lease under which no holder of an earlier lease can still lead. */
  let sound: string | undefined;

  const within = <T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    runWithin({ clock, ms: times.callMs, signal, what: `a call for the lease ${ref.name}` }, work);

  const look = async (signal: AbortSignal): Promise<Sighting> => {
    const found = await within(signal, (limited) => api.find(leases, ref, { signal: limited }));
    sighting = sight(sighting, found, clock.monotonic());
    return sighting;
  };

  const write = async (seen: Lease | undefined, holder: string, signal: AbortSignal): Promise<Sighting> => {
    certain = false;
    const durationMs = holder === '' ? 1_000 : times.durationMs;
    const wanted = writeLease(ref, seen, { holder, durationMs, now: clock.now() });
    const written = await within(signal, (limited) =>
      seen ? api.replace(leases, wanted, { signal: limited }) : api.create(leases, wanted, { signal: limited }),
    );
    sighting = sight(sighting, written, clock.monotonic());
    certain = true;
    return sighting;
  };

  /** Marks the observed lease as sound when its holder writes it now. */
  const vouch = ({ lease }: Sighting, holding: boolean): void => {
    const takesOver = lease !== undefined && readLease(lease).holder !== identity;
    if (lease && (holding || takesOver)) sound = lease.metadata.uid;
  };

  const tryOnce = async (holding: boolean, signal: AbortSignal): Promise<Acquired> => {
    const seen = certain && sighting ? sighting : await look(signal);
    const sentAt = clock.monotonic();
    if (!mayWrite(seen, identity, times.durationMs, sentAt)) return { kind: 'foreign' };
    vouch(seen, holding);
    try {
      const { lease, born } = await write(seen.lease, identity, signal);
      if (holding || clock.monotonic() - born >= times.durationMs) sound = lease?.metadata.uid;
      return sound === lease?.metadata.uid ? { kind: 'held', until: sentAt + times.giveUpMs } : { kind: 'open' };
    } catch (error) {
      // Another process has changed the lease since it was observed; the next attempt reads it.
      if (isRelayError(error, 'kube_conflict', 'kube_exists', 'kube_not_found')) return { kind: 'open' };
      throw error;
    }
  };

  return {
    async acquire(holding, signal) {
      const wasCertain = certain;
      const first = await tryOnce(holding, signal);
      return wasCertain && !certain && first.kind === 'open' ? tryOnce(holding, signal) : first;
    },
    async release(signal) {
      const { lease } = await look(signal);
      if (lease && lease.metadata.uid === sound && readLease(lease).holder === identity) await write(lease, '', signal);
    },
  };
};
