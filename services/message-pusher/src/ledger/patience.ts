import { isRelayError } from '@ranger-relay/errors';
import { delayFor, type Clock, type Random } from '@ranger-relay/runtime';
import type { KvSpace } from '@ranger-relay/kv';

/** Carries out a step on the store, again while the store is away; undefined when it stays away. */
export type Patience = <T>(step: (state: KvSpace) => Promise<T>) => Promise<T | undefined>;

const tries = 5;
const totalMs = 30_000;
const backoff = { baseMs: 1_000, maxMs: 16_000, jitterMs: 3_000 };
/** After a budget was used up for nothing, the store is asked only once each time for so long. */
const awayMs = 30_000;

/** The budget of the platform contract, section 7: 5 tries, 2^n + U(0,3) s, 30 s in all. Steps must bear repetition. */
export const createPatience = (state: KvSpace, { clock, random }: { clock: Clock; random: Random }): Patience => {
  let awayUntil = 0;

  return async (step) => {
    const end = clock.monotonic() + totalMs;
    for (let attempt = 0; ; attempt += 1) {
      try {
        const done = await step(state);
        awayUntil = 0;
        return done;
      } catch (error) {
        if (!isRelayError(error, 'kv_unavailable')) throw error;
        if (clock.monotonic() < awayUntil) return undefined;
        const delay = delayFor(backoff, attempt, random);
        if (attempt + 1 >= tries || clock.monotonic() + delay > end) {
          awayUntil = clock.monotonic() + awayMs;
          return undefined;
        }
        await clock.sleep(delay);
      }
    }
  };
};
