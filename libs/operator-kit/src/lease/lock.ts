import { isRelayError } from '@ranger-relay/errors';
import { type Clock, runWithin } from '@ranger-relay/runtime';
import type { ObjectRef } from '../api/object.ts';
import type { KubeApi } from '../api/port.ts';
import { type Lease, leases, type LeaseTimes, readLease, writeLease } from './record.ts';

/** A lease as it was seen, and since when, by the own monotonic clock. */
export interface Sighting {
  /** Undefined when there was none. */
  readonly lease: Lease | undefined;
  /** Since when it is like that. */
  readonly since: number;
  /** Since when it is this very object, whatever was written to it. */
  readonly born: number;
}

/** Takes note of what an answer showed that came at `now`; what was like that before keeps its time. */
export const sight = (before: Sighting | undefined, lease: Lease | undefined, now: number): Sighting => {
  const [was, is] = [before?.lease?.metadata, lease?.metadata];
  if (!before || was?.uid !== is?.uid) return { lease, since: now, born: now };
  return was?.resourceVersion === is?.resourceVersion ? before : { lease, since: now, born: before.born };
};

/**
 * Whether the lease may be written: it is one's own, it was given back, it is not there, or it has not changed for as long as its holder may
 * rely on it. Only the time since one saw it change counts, never what it says about time.
 */
export const mayWrite = ({ lease, since }: Sighting, identity: string, ownMs: number, now: number): boolean => {
  if (!lease) return true;
  const { holder, durationMs } = readLease(lease);
  return holder === identity || holder === '' || now - since >= Math.max(ownMs, durationMs);
};

/** What a lock is made from. */
interface LockOptions {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly lease: ObjectRef;
  /** Tells this holder from every other one, also from an earlier life of the same pod. */
  readonly identity: string;
  readonly times: LeaseTimes;
}

/** What became of a try: held until a time (monotonic), held by another one, or neither yet. */
export type Acquired =
  { readonly kind: 'held'; readonly until: number } | { readonly kind: 'foreign' } | { readonly kind: 'open' };

/** A lease as one of those who want it sees it. */
interface Lock {
  /** Takes or renews it if that is allowed. `holding`: it may be relied on now. @throws RelayError `kube_*`, `deadline_exceeded`: nothing is known then */
  acquire(holding: boolean, signal: AbortSignal): Promise<Acquired>;
  /** Gives it back when it is one's own; others need not wait then. @throws as `acquire` */
  release(signal: AbortSignal): Promise<void>;
}

/**
 * Makes a lock. It is used by one caller at a time. A lease that one made because there was none may follow one that was deleted under its
 * holder, so it is kept for as long as that one may rely on it before it counts as held.
 */
export const createLock = ({ api, clock, lease: ref, identity, times }: LockOptions): Lock => {
  let sighting: Sighting | undefined;
  /** The last write was answered, so its version is the present one unless somebody else wrote. */
  let certain = false;
  /** The lease under which nobody can lead who held an earlier one. */
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

  /** Whether the lease that was seen is sound, or its present holder writes it: then it stays, or becomes, sound. */
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
      // Somebody has touched it since it was seen: the next look tells who.
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
