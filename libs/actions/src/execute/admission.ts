import { RelayError } from '@ranger-relay/errors';
import { stateKey } from '../state/keys.ts';
import { holderOf, type Lease, takeLease } from '../state/lease.ts';
import type { DeliveryDependencies } from './delivery.ts';

/** Limits of concurrent runs in one process. */
export interface RunLimits {
  readonly total: number;
  readonly perIntegration: number;
}

/** Slots for concurrent runs. */
export interface ConcurrencyLimits {
  /** Takes a slot and returns a function that frees it once; undefined when no slot is free. */
  take(integrationId: string): (() => void) | undefined;
  running(): number;
}

/** Creates the slots. */
export const createConcurrencyLimits = ({ total, perIntegration }: RunLimits): ConcurrencyLimits => {
  const byIntegration = new Map<string, number>();
  let running = 0;

  const release = (integrationId: string): void => {
    const left = (byIntegration.get(integrationId) ?? 1) - 1;
    running -= 1;
    if (left > 0) byIntegration.set(integrationId, left);
    else byIntegration.delete(integrationId);
  };

  return {
    running: () => running,
    take(integrationId) {
      const same = byIntegration.get(integrationId) ?? 0;
      if (running >= total || same >= perIntegration) return undefined;
      running += 1;
      byIntegration.set(integrationId, same + 1);
      let taken = true;
      return () => {
        if (taken) release(integrationId);
        taken = false;
      };
    },
  };
};

/** The input of admitting an exclusive run. */
interface ExclusiveRun {
  readonly integrationId: string;
  readonly actionId: string;
  readonly deliveryId: string | undefined;
  /** Whether the run must not be skipped: it is redelivered after its process ended, or continues an earlier run. */
  readonly mustRun: boolean;
}

/** Whether a run may start: now, exclusively, or not now. */
export type Admission =
  | { readonly kind: 'alone'; readonly lease: Lease }
  /** Another run does the same work. */
  | { readonly kind: 'already_running' }
  /** The run must happen, but not now. */
  | { readonly kind: 'later'; readonly error: RelayError };

/**
 * Admits one run of a pull action of an integration at a time (platform contract, both pulls).
 * @throws RelayError `kv_unavailable`: without the store, exclusivity cannot be guaranteed
 */
export const admitAlone = async (
  { space, clock, random }: Pick<DeliveryDependencies, 'space' | 'clock' | 'random'>,
  { integrationId, actionId, deliveryId, mustRun }: ExclusiveRun,
): Promise<Admission> => {
  const details = { integration: integrationId, action: actionId };
  const taking = await takeLease({
    space,
    clock,
    random,
    key: stateKey.run(integrationId, actionId),
    holder: deliveryId ?? '',
    lost: () => new RelayError('action_lease_lost', { details }),
  });
  if (taking.kind === 'taken') return { kind: 'alone', lease: taking.lease };
  // The holder processes the same message, or did so before its process was killed.
  const isSame = deliveryId !== undefined && holderOf(taking.by) === deliveryId;
  if (!mustRun && !isSame) return { kind: 'already_running' };
  return { kind: 'later', error: new RelayError('action_already_running', { details, retryAfterMs: 10_000 }) };
};
