import { RelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import { type Clock, type Random, repeatAtRate } from '@ranger-relay/runtime';

/** The input of taking a lease. */
export interface LeaseOptions {
  readonly space: KvSpace;
  readonly clock: Clock;
  readonly random: Pick<Random, 'uuid'>;
  readonly key: string;
  /** What the token says of the holder, for others that find the lease held. */
  readonly holder?: string;
  /** Creates the abort reason when the lease is lost. */
  readonly lost: () => RelayError;
}

/** A held lease: renewed until it is released, abandoned or lost. */
export interface Lease {
  /** Aborted when another owner may hold the lease: it was taken away, or could not be renewed in time. */
  readonly signal: AbortSignal;
  /** Whether the lease is certainly still held. */
  held(): boolean;
  /** Marks the lease as lost if it has expired, without waiting for a timer. */
  look(): void;
  /** Stops renewing; the lease expires by itself. */
  abandon(): void;
  /** Releases the lease if this owner still holds it. An unavailable store is not an error: the lease expires by itself. */
  release(): Promise<void>;
}

/** Time to live of a lease without renewal, ms. */
export const leaseMs = 30_000;
/** Renewal interval, ms. */
export const renewMs = 10_000;
/** The lease counts as lost this long before it expires, to allow for clock differences, ms. */
const safetyMs = 2_000;

const keep = ({ space, clock, key, lost }: LeaseOptions, token: string, since: number): Lease => {
  const controller = new AbortController();
  let until = since + leaseMs - safetyMs;
  let over = false;

  const stop = (): void => {
    over = true;
    void stopRenewing();
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
  const stopRenewing = repeatAtRate({ clock, everyMs: renewMs }, () => renew().catch(() => undefined));
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

/** The result of trying to take a lease. */
export type Taking =
  | { readonly kind: 'taken'; readonly lease: Lease }
  /** `by` is the token of the current lease. */
  | { readonly kind: 'held'; readonly by: string };

/** The holder that a token names; the whole text when it is no token of `takeLease`. */
export const holderOf = (token: string): string => token.slice(token.indexOf('/') + 1);

/**
 * Tries once to take a lease of 30 s, renewed every 10 s (platform contract, state and cache keys); one round trip. The caller must end
 * the lease, whatever else fails: it renews itself as long as the process lives. Each attempt has its own token: a command of an earlier
 * attempt that the store executes late must not end the lease of a later one.
 * @throws RelayError `kv_unavailable`
 */
export const takeLease = async (options: LeaseOptions): Promise<Taking> => {
  const { space, clock, random, key, holder = '' } = options;
  const token = `${random.uuid()}/${holder}`;
  const since = clock.monotonic();
  try {
    const [taken, by] = await Promise.all([space.setIfAbsent(key, token, { ttlMs: leaseMs }), space.get(key)]);
    return taken ? { kind: 'taken', lease: keep(options, token, since) } : { kind: 'held', by: by ?? '' };
  } catch (error) {
    // The store may have set the lease despite the error; without the delete, the lease would block others until it expires.
    space.compareAndDelete(key, token).catch(() => undefined);
    throw error;
  }
};
