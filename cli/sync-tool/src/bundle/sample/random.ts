import { hash } from 'node:crypto';

/** Chance that is the same for the same seed. */
export interface SeededRandom {
  /** In [0, 1). */
  next(): number;
  /** A whole number from 0 to below `below`. */
  below(below: number): number;
}

/** Random numbers from a seed (mulberry32). */
export const seededRandom = (seed: number): SeededRandom => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, below: (below) => Math.floor(next() * below) };
};

/** A uuid (32 hex) that depends on its seed, kind and position alone. */
export const uuidAt = (seed: number, kind: string, position: number): string =>
  hash('sha256', `${seed}/${kind}/${position}`).slice(0, 32);

/** The uuids of the first `count` records of a kind. */
export const uuidsOf = (seed: number, kind: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, position) => uuidAt(seed, kind, position));
