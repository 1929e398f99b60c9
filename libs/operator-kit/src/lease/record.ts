import type { V1Lease } from '@kubernetes/client-node';
import type { KubeObject, ObjectRef } from '../api/object.ts';
import type { Resource } from '../api/resource.ts';

/** How a lease is kept, all ms. */
export interface LeaseTimes {
  /** Others wait so long after the last change that they saw; default 15,000. */
  readonly durationMs: number;
  /** The holder gives up so long after it sent the last renewal that was answered; default 10,000. The rest is for clocks that run at different speed and for requests under way. */
  readonly giveUpMs: number;
  /** Between two looks, and between two renewals; default 2,000. */
  readonly retryMs: number;
  /** For one call; default 4,000. */
  readonly callMs: number;
}

const defaults: LeaseTimes = { durationMs: 15_000, giveUpMs: 10_000, retryMs: 2_000, callMs: 4_000 };

/** Fills in what is left out. @throws RangeError for times that do not fit into each other */
export const leaseTimes = (given: Partial<LeaseTimes> = {}): LeaseTimes => {
  const times = { ...defaults, ...given };
  const { durationMs, giveUpMs, retryMs, callMs } = times;
  if (giveUpMs >= durationMs) throw new RangeError(`giveUpMs ${giveUpMs} must be less than durationMs ${durationMs}`);
  if (retryMs + callMs >= giveUpMs)
    throw new RangeError(`retryMs ${retryMs} and callMs ${callMs} must fit into giveUpMs ${giveUpMs}`);
  return times;
};

export type Lease = KubeObject<V1Lease>;

/** Leases of a cluster. */
export const leases: Resource<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
};

/** What a lease says, as far as anybody may rely on it: times in it are those of another machine's clock. */
export interface LeaseRecord {
  /** Empty when nobody holds it. */
  readonly holder: string;
  /** How long its holder may be silent, ms; 0 when it does not say. */
  readonly durationMs: number;
  readonly acquireTime: string | undefined;
  /** How often it went from one holder to another. */
  readonly transitions: number;
}

/** A holder that names more is waited for so long, ms. */
const maxMs = 600_000;

/** Reads a lease; what it does not say, or not soundly, counts as not said. */
export const readLease = ({ spec }: Lease): LeaseRecord => ({
  holder: spec?.holderIdentity ?? '',
  durationMs: Math.min(Math.max(0, Number(spec?.leaseDurationSeconds) || 0) * 1_000, maxMs),
  acquireTime: spec?.acquireTime,
  transitions: spec?.leaseTransitions ?? 0,
});

/** RFC 3339 with microseconds, as leases have it. */
const microTime = (now: number): string => new Date(now).toISOString().replace('Z', '000Z');

/** A lease as it is to be written over the one that was seen. `now` is for people who read it. */
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
