import { RelayError } from '@ranger-relay/errors';
import { stateKey } from '../state/keys.ts';
import { type Lease, takeLease } from '../state/lease.ts';
import type { DeliveryDependencies } from './delivery.ts';

/** How many runs there may be at a time in one process. */
export interface RunLimits {
  readonly total: number;
  readonly perIntegration: number;
}

/** Places for runs. */
export interface ConcurrencyLimits {
  /** Takes a place; the answer gives it back, once. Undefined when there is none. */
  take(integrationId: string): (() => void) | undefined;
  running(): number;
}

/** Makes the places. */
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

/** What a run that must be the only one knows of itself. */
interface ExclusiveRun {
  readonly integrationId: string;
  readonly actionId: string;
  readonly deliveryId: string | undefined;
  /** It comes again after its process has gone, or goes on where a run has stopped: it may not be dropped. */
  readonly mustRun: boolean;
}

/** Whether a run may be: alone, or not now. */
export type Admission =
  | { readonly kind: 'alone'; readonly lease: Lease }
  /** Another run does the same. */
  | { readonly kind: 'already_running' }
  /** Not now, but it has to be. */
  | { readonly kind: 'later'; readonly error: RelayError };

const separator = '/';

const tokenOf = (unique: string, deliveryId: string | undefined): string => `${unique}${separator}${deliveryId ?? ''}`;

/** The lease's holder works on the very same message, or did before it was killed. */
const isSame = (token: string, deliveryId: string | undefined): boolean =>
  deliveryId !== undefined && token.slice(token.indexOf(separator) + 1) === deliveryId;

/**
 * Lets one run of a pull action of an integration be at a time (platform contract, both pulls).
 * @throws RelayError `kv_unavailable`: without the store nobody can be sure to be alone
 */
export const admitAlone = async (
  { space, clock, random }: Pick<DeliveryDependencies, 'space' | 'clock' | 'random'>,
  { integrationId, actionId, deliveryId, mustRun }: ExclusiveRun,
): Promise<Admission> => {
  const details = { integration: integrationId, action: actionId };
  const taking = await takeLease({
    space,
    clock,
    key: stateKey.run(integrationId, actionId),
    token: tokenOf(random.uuid(), deliveryId),
    lost: () => new RelayError('action_lease_lost', { details }),
  });
  if (taking.kind === 'taken') return { kind: 'alone', lease: taking.lease };
  if (!mustRun && !isSame(taking.by, deliveryId)) return { kind: 'already_running' };
  return { kind: 'later', error: new RelayError('action_already_running', { details, retryAfterMs: 10_000 }) };
};
