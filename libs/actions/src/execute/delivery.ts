import { RelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import type { Clock, Logger, Random } from '@ranger-relay/runtime';
import { doneMs, stateKey } from '../state/keys.ts';
import { takeLease, type Lease } from '../state/lease.ts';

/** What deliveries are told apart with. */
export interface DeliveryParts {
  readonly space: KvSpace;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** A message in hand. */
export interface Delivery {
  /** Marks it as worked on, or gives it back for another try once the handler has really ended. Never fails. */
  settle(done: boolean, handlerEnded: Promise<void>): Promise<void>;
}

/** Where a message stands. */
export type Begun =
  | { readonly kind: 'new'; readonly delivery: Delivery }
  /** Worked on within the last hour. */
  | { readonly kind: 'done' }
  /** Another process works on it. */
  | { readonly kind: 'in_flight' };

const doneMark = 'done';

const markDone = async ({ space, log }: DeliveryParts, id: string): Promise<void> => {
  try {
    await space.set(stateKey.done(id), doneMark, { ttlMs: doneMs });
  } catch (error) {
    log.warn({ err: error }, 'a message could not be marked as worked on; it may be worked on again');
  }
};

const inHand = (parts: DeliveryParts, id: string, lease?: Lease): Begun => ({
  kind: 'new',
  delivery: {
    async settle(done, handlerEnded) {
      lease?.letGo();
      if (done) return markDone(parts, id);
      void handlerEnded.then(() => lease?.release());
    },
  },
});

/**
 * Looks whether a message was worked on, and claims it (platform contract, state and cache keys: `done.{id}`). A run that holds a lease of
 * its own needs no claim. Without the store a message counts as new: twice is better than never.
 */
export const beginDelivery = async (
  parts: DeliveryParts,
  id: string | undefined,
  hasLease: boolean,
): Promise<Begun> => {
  if (id === undefined) return { kind: 'new', delivery: { settle: async () => undefined } };
  const { space, clock, random, log } = parts;
  const key = stateKey.done(id);
  try {
    if (hasLease) return (await space.get(key)) === doneMark ? { kind: 'done' } : inHand(parts, id);
    const token = `running:${random.uuid()}`;
    const lost = (): RelayError => new RelayError('delivery_in_flight', { details: { id } });
    const taking = await takeLease({ space, clock, key, token, lost });
    if (taking.kind === 'taken') return inHand(parts, id, taking.lease);
    return { kind: taking.by === doneMark ? 'done' : 'in_flight' };
  } catch (error) {
    log.warn({ err: error }, 'it cannot be told whether a message was worked on before; it is worked on');
    return inHand(parts, id);
  }
};
