import { randomInt, randomUUID } from 'node:crypto';

/** Chance as a parameter. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** A random UUID. */
  uuid(): string;
}

/** The system's source of chance. */
export const systemRandom: Random = { next: () => randomInt(0, 2 ** 32) / 2 ** 32, uuid: () => randomUUID() };

/** A repeatable source of chance (mulberry32). */
export const seeded = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => Math.floor(next() * 16).toString(16)).join('');
  return { next, uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}` };
};

/** One of the given choices. */
export const pick = <T>(random: Random, choices: readonly [T, ...T[]]): T =>
  choices[Math.floor(random.next() * choices.length)] ?? choices[0];

/** A list in another order. */
export const shuffle = <T>(random: Random, list: readonly T[]): T[] => {
  const left = [...list];
  const mixed: T[] = [];
  for (let [first, ...rest] = left; first !== undefined; [first, ...rest] = left) {
    const taken = pick(random, [first, ...rest]);
    left.splice(left.indexOf(taken), 1);
    mixed.push(taken);
  }
  return mixed;
};
