import { RelayError, toRelayError } from '@ranger-relay/errors';
import { stateKey } from '../state/keys.ts';
import { holderOf, type Lease, takeLease } from '../state/lease.ts';
import type { RuntimeDeps } from './deps.ts';
import type { ReadyRun } from './handler-context.ts';

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

/** Whether a run may start: now, exclusively, or not now. */
export type Admission =
  | { readonly kind: 'alone'; readonly lease: Lease }
  /** Another run does the same work. */
  | { readonly kind: 'already_running' }
  /** The run must happen, but not now. */
  | { readonly kind: 'later'; readonly error: RelayError };

/**
 * Admits one run of a pull action of an integration at a time (platform contract, both pulls); undefined for a run that needs no admission.
 * Without the store, exclusivity cannot be guaranteed, so the run comes later.
 */
export const admit = async (
  { state: space, context: { clock, random } }: Pick<RuntimeDeps, 'state' | 'context'>,
  { action, integration, request }: ReadyRun,
): Promise<Admission | undefined> => {
  if (action.type !== 'pull' || integration.id === null) return undefined;
  const deliveryId = request.message?.id;
  const details = { integration: integration.id, action: action.id };
  try {
    const taking = await takeLease({
      space,
      clock,
      random,
      key: stateKey.run(integration.id, action.id),
      holder: deliveryId ?? '',
      lost: () => new RelayError('action_lease_lost', { details }),
    });
    if (taking.kind === 'taken') return { kind: 'alone', lease: taking.lease };
    // The holder processes the same message, or did so before its process was killed.
    const isSame = deliveryId !== undefined && holderOf(taking.by) === deliveryId;
    // A run that is redelivered after its process ended, or continues an earlier run, must not be skipped.
    const mustRun = request.selfTriggered === true || (request.attempt ?? 1) > 1;
    if (!mustRun && !isSame) return { kind: 'already_running' };
    return { kind: 'later', error: new RelayError('action_already_running', { details, retryAfterMs: 10_000 }) };
  } catch (error) {
    return { kind: 'later', error: toRelayError(error) };
  }
};
