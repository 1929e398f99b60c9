import type { Random } from '@ranger-relay/runtime';

/** A time that differs by up to `share` of itself in both directions, so that what is repeated does not meet. */
export const jittered = (ms: number, share: number, random: Random): number =>
  ms * (1 + share * (2 * random.next() - 1));
