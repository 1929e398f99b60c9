import { RelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';

/** What a lease is taken on. */
export interface LeaseOptions {
  readonly space: KvSpace;
  readonly clock: Clock;
  readonly key: string;
  /** Tells this owner from every other; unique. */
  readonly token: string;
  /** Why the signal is aborted when the lease is lost. */
  readonly lost: () => RelayError;
}

/** A lease in hand: renewed until it is released, let go or lost. */
export interface Lease {
  /** Aborted when another may have it: it was taken away, or could not be renewed in time. */
  readonly signal: AbortSignal;
  /** Nobody else can have it now. */
  held(): boolean;
  /** Loses it now when its time is over, without waiting for a timer. */
  look(): void;
  /** Renews no more; it runs out by itself. */
  abandon(): void;
  /** Gives it back, when it still is this owner's. A store that is away is no error: the lease runs out by itself. */
  release(): Promise<void>;
}

/** A lease holds so long without renewal, ms. */
export const leaseMs = 30_000;
/** How often it is renewed, ms. */
export const renewMs = 10_000;
/** It counts as lost so long before it runs out, for clocks that differ, ms. */
const safetyMs = 2_000;

const keep = ({ space, clock, key, token, lost }: LeaseOptions, since: number): Lease => {
  const controller = new AbortController();
  let until = since + leaseMs - safetyMs;
  let over = false;
  let renewing = false;

  const stop = (): void => {
    over = true;
    next.cancel();
    end.cancel();
  };
  const lose = (): void => {
    if (over) return;
    stop();
    controller.abort(lost());
  };
  const armEnd = () => clock.after(Math.max(0, until - clock.monotonic()), lose);

  const renew = async (): Promise<void> => {
    const from = clock.monotonic();
    const ours = await space.compareAndSet(key, token, token, { ttlMs: leaseMs });
    if (over) return;
    if (!ours) return lose();
    until = from + leaseMs - safetyMs;
    end.cancel();
    end = armEnd();
  };
  const tick = (): void => {
    next = clock.after(renewMs, tick);
    if (renewing) return;
    renewing = true;
    renew()
      .catch(() => undefined)
      .finally(() => (renewing = false));
  };
  let next = clock.after(renewMs, tick);
  let end = armEnd();

  return {
    signal: controller.signal,
    held: () => !over && clock.monotonic() < until,
    look: () => void (clock.monotonic() >= until && lose()),
    abandon: stop,
    async release() {
      stop();
      await space.compareAndDelete(key, token).catch(() => false);
    },
  };
};

/** What became of the wish for a lease. */
export type Taking =
  | { readonly kind: 'taken'; readonly lease: Lease }
  /** `by` is the token of who has it. */
  | { readonly kind: 'held'; readonly by: string };

/**
 * Takes a lease of 30 s, renewed every 10 s (platform contract, state and cache keys); one try, one round trip.
 * @throws RelayError `kv_unavailable`
 */
export const takeLease = async (options: LeaseOptions): Promise<Taking> => {
  const { space, clock, key, token } = options;
  const since = clock.monotonic();
  try {
    const [taken, by] = await Promise.all([space.setIfAbsent(key, token, { ttlMs: leaseMs }), space.get(key)]);
    return taken ? { kind: 'taken', lease: keep(options, since) } : { kind: 'held', by: by ?? '' };
  } catch (error) {
    // The store may have carried it out all the same, and nobody would renew it.
    space.compareAndDelete(key, token).catch(() => undefined);
    throw error;
  }
};
