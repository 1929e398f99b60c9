import { type Context, repeat } from '@ranger-relay/runtime';
import { type KeyValue, unlessUnavailable } from './port.ts';

/** Key in the state space that exists until the store is emptied. Its value is since when the store remembers, ms since 1970. */
export const epochKey = 'store.epoch';

/** The value of an epoch. */
export const epochOf = (since: number): string => String(since);

/** When the store's memory begins, ms since 1970; `Infinity` without an epoch. */
export const epochTime = (epoch: string | null | undefined): number =>
  /^\d+$/.test(epoch ?? '') ? Number(epoch) : Infinity;

const everyMs = 1_000;

/**
 * Begins the epoch of a new or emptied store, and begins it anew after a fail-over or restart, which may have lost writes. A process does this
 * before it takes anything in: what arrives before the epoch may have been handled by a process whose notes are lost. An unavailable store
 * begins it later.
 */
export const keepEpoch = async (
  { clock, lifecycle }: Pick<Context, 'clock' | 'lifecycle'>,
  { state, generation }: Pick<KeyValue, 'state' | 'generation'>,
): Promise<void> => {
  await unlessUnavailable(state.setIfAbsent(epochKey, epochOf(clock.now())));
  let known = generation();
  const stop = repeat({ clock, everyMs }, async () => {
    const now = generation();
    if (now === known) return;
    if ((await unlessUnavailable(state.set(epochKey, epochOf(clock.now())).then(() => true))) === true) known = now;
  });
  lifecycle.onStop('store epoch', () => void stop());
};
