import type { V1Lease } from '@kubernetes/client-node';
import type { KubeObject, ObjectRef } from '../api/object.ts';
import type { Resource } from '../api/resource.ts';

/** Times of a lease, all in ms. */
export interface LeaseTimes {
  /** How long other candidates wait after the last change that they observed; default 15,000. */
  readonly durationMs: number;
  /**
   * The holder gives up this long after it sent the last successful renewal; default 10,000. The difference to `durationMs` covers clock
   * drift and requests in flight.
   */
  readonly giveUpMs: number;
  /** Interval between two attempts, and between two renewals; default 2,000. */
  readonly retryMs: number;
  /** Timeout of one call; default 4,000. */
  readonly callMs: number;
}

const defaults: LeaseTimes = { durationMs: 15_000, giveUpMs: 10_000, retryMs: 2_000, callMs: 4_000 };

/** Adds the defaults. @throws RangeError for times that contradict each other */
export const leaseTimes = (given: Partial<LeaseTimes> = {}): LeaseTimes => {
  const times = { ...defaults, ...given };
  const { durationMs, giveUpMs, retryMs, callMs } = times;
  if (giveUpMs >= durationMs) throw new RangeError(`giveUpMs ${giveUpMs} must be less than durationMs ${durationMs}`);
  if (retryMs + callMs >= giveUpMs)
    throw new RangeError(`retryMs ${retryMs} and callMs ${callMs} must fit into giveUpMs ${giveUpMs}`);
  return times;
};

export type Lease = KubeObject<V1Lease>;

export const leases: Resource<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
};

/** The usable content of a lease. Its times are left out, because they are of another machine's clock. */
export interface LeaseRecord {
  /** Empty when the lease has no holder. */
  readonly holder: string;
  /** Duration of the lease, ms; 0 when it is not specified. */
  readonly durationMs: number;
  readonly acquireTime: string | undefined;
  /** Number of changes of the holder. */
  readonly transitions: number;
}

/** Maximum duration that is respected, ms. */
const maxMs = 600_000;

/** Reads a lease; invalid members count as missing. */
export const readLease = ({ spec }: Lease): LeaseRecord => ({
  holder: spec?.holderIdentity ?? '',
  durationMs: Math.min(Math.max(0, Number(spec?.leaseDurationSeconds) || 0) * 1_000, maxMs),
  acquireTime: spec?.acquireTime,
  transitions: spec?.leaseTransitions ?? 0,
});

/** RFC 3339 with microseconds, as in leases. */
const microTime = (now: number): string => new Date(now).toISOString().replace('Z', '000Z');

/** Returns the lease to write over the observed one. `now` is informational. */
export const writeLease = (
  ref: ObjectRef,
  seen: Lease | undefined,
  { holder, durationMs, now }: { holder: string; durationMs: number; now: number },
): Lease => {
  const before = seen && readLease(seen);
  const kept = before?.holder === holder;
  const { managedFields: _, ...metadata } = seen?.metadata ?? {};
  return {
    metadata: { ...metadata, name: ref.name, ...(ref.namespace ? { namespace: ref.namespace } : {}) },
    spec: {
      ...(holder === '' ? {} : { holderIdentity: holder }),
      leaseDurationSeconds: Math.max(1, Math.ceil(durationMs / 1_000)),
      acquireTime: (kept ? before.acquireTime : undefined) ?? microTime(now),
      renewTime: microTime(now),
      leaseTransitions: (before?.transitions ?? 0) + (kept || holder === '' ? 0 : 1),
    },
  };
};
