import { RelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import type { Clock, Random, RateLimitedLog } from '@ranger-relay/runtime';
import { doneMs, stateKey, type DeliveryPlace } from '../state/keys.ts';
import { takeLease, type Lease, type Taking } from '../state/lease.ts';

/** The identity of a delivery. */
export interface DeliveryDependencies {
  readonly space: KvSpace;
  readonly clock: Clock;
  readonly random: Random;
  readonly limitedLog: RateLimitedLog;
}

/** A message that is being processed. */
export interface Delivery {
  /** Marks the message as processed, or releases it for a retry once the handler has really ended. Never fails. */
  settle(done: boolean, handlerEnded: Promise<void>): Promise<void>;
}

/** The state of a message. */
export type Begun =
  | { readonly kind: 'new'; readonly delivery: Delivery }
  /** Processed within the last hour. */
  | { readonly kind: 'done' }
  /** Another process is processing it. */
  | { readonly kind: 'in_flight' };

const doneMark = 'done';

const markDone = async ({ space, limitedLog }: DeliveryDependencies, key: string): Promise<void> => {
  try {
    await space.set(key, doneMark, { ttlMs: doneMs });
  } catch (error) {
    const text = 'a message could not be marked as in progress; it may be processed twice';
    limitedLog.warn('mark', { err: error }, text);
  }
};

const inHand = (parts: DeliveryDependencies, key: string, lease?: Lease): Begun => ({
  kind: 'new',
  delivery: {
    async settle(done, handlerEnded) {
      lease?.abandon();
      if (done) return markDone(parts, key);
      void handlerEnded.then(() => lease?.release());
    },
  },
});

const claim = ({ space, clock, random }: DeliveryDependencies, key: string, id: string): Promise<Taking> =>
  takeLease({
    space,
    clock,
    random,
    key,
    holder: 'running',
    lost: () => new RelayError('delivery_in_flight', { details: { id } }),
  });

/**
 * Checks whether a message was processed, and claims it (platform contract, state and cache keys). A run with its own lease needs no claim.
 * Without the store a message counts as new, because a duplicate run is better than none.
 */
export const beginDelivery = async (
  parts: DeliveryDependencies,
  place: DeliveryPlace | undefined,
  hasLease: boolean,
): Promise<Begun> => {
  if (place === undefined) return { kind: 'new', delivery: { settle: async () => undefined } };
  const { space, limitedLog } = parts;
  const key = stateKey.done(place);
  try {
    if (hasLease) return (await space.get(key)) === doneMark ? { kind: 'done' } : inHand(parts, key);
    const taking = await claim(parts, key, place.id);
    if (taking.kind === 'held') return { kind: taking.by === doneMark ? 'done' : 'in_flight' };
    return inHand(parts, key, taking.lease);
  } catch (error) {
    const text = 'it is unknown whether a message was processed before; processing it';
    limitedLog.warn('read', { err: error }, text);
    return inHand(parts, key);
  }
};
