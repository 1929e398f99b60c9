import { holderOf, type Lease, takeLease } from '@ranger-relay/actions';
import { RelayError } from '@ranger-relay/errors';
import { type KvSpace, storeKey } from '@ranger-relay/kv';
import { type Context, createKeyedMutex, type KeyedMutex, pause } from '@ranger-relay/runtime';

/** How often a waiting process polls for its turn, ms. */
const pollMs = 250;
/** A waiting process that stops polling loses its place after this time, ms. */
const nextMs = 2_000;

/** Keys of the lease of the current holder, and of the place of the next one. */
const keysOf = (name: string) => ({ turn: storeKey('push-turn', name), next: storeKey('push-turn', name, 'next') });

const lost = (): RelayError => new RelayError('push_busy');

/**
 * A mutex across all replicas, by a lease in the store: a killed process keeps its turn for 30 s at most. A waiting
 * process reserves the next turn, so that a long queue of one replica does not block the texts of another. While the
 * store is unavailable, each process has its own turns.
 */
export const createReplicaMutex = (
  state: KvSpace,
  { clock, random }: Pick<Context, 'clock' | 'random'>,
): KeyedMutex => {
  const here = createKeyedMutex(clock);
  const me = random.uuid();

  /** Requests the lease; `held` when another process has it or waits for it. @throws RelayError `kv_unavailable` */
  const ask = async (name: string): Promise<Lease | 'held'> => {
    const { turn, next } = keysOf(name);
    const taking = takeLease({ space: state, clock, random, key: turn, holder: me, lost });
    // When only this read fails, the lease is held: an error would drop it, and it would renew itself forever.
    const [asked, waiting] = await Promise.all([taking, state.get(next).catch(() => null)]);
    if (asked.kind === 'held') {
      // This process takes one turn at a time, so a lease of its own is one that it failed to release.
      const isLeftOver = holderOf(asked.by) === me && (await state.compareAndDelete(turn, asked.by));
      return isLeftOver ? ask(name) : 'held';
    }
    if (waiting === null || waiting === me) return asked.lease;
    await asked.lease.release();
    return 'held';
  };

  const standNext = async (name: string): Promise<void> => {
    const { next } = keysOf(name);
    await Promise.all([
      state.setIfAbsent(next, me, { ttlMs: nextMs }),
      state.compareAndSet(next, me, me, { ttlMs: nextMs }),
    ]);
  };

  const giveUpNext = (name: string): Promise<boolean> => state.compareAndDelete(keysOf(name).next, me);

  /** Waits for the lease; undefined when the store is unavailable, null when the turn does not come in time. */
  const acquire = async (name: string, until: number, signal?: AbortSignal): Promise<Lease | undefined | null> => {
    let waited = false;
    try {
      for (;;) {
        const asked = await ask(name);
        if (asked !== 'held') return asked;
        if (clock.monotonic() + pollMs > until || signal?.aborted) return null;
        waited = true;
        await standNext(name);
        await pause(clock, pollMs, signal);
      }
    } catch {
      return undefined;
    } finally {
      if (waited) await giveUpNext(name).catch(() => false);
    }
  };

  return {
    async take(name, withinMs, task, signal) {
      const until = clock.monotonic() + withinMs;
      return here.take(name, withinMs, async () => {
        const lease = await acquire(name, until, signal);
        if (lease === null) return undefined;
        try {
          return await task();
        } finally {
          await lease?.release();
        }
      });
    },
  };
};
