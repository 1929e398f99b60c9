import type { Random } from '@ranger-relay/runtime';

/** Varies a time by up to `share` in both directions, so that repetitions of several processes do not coincide. */
export const jittered = (ms: number, share: number, random: Random): number =>
  ms * (1 + share * (2 * random.next() - 1));
