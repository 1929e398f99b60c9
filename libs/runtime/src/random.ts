import { randomInt, randomUUID } from 'node:crypto';

/** A source of randomness as a dependency: tests use a seeded one. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** A random UUID. */
  uuid(): string;
}

/** The system's source of randomness. */
export const systemRandom: Random = {
  next: () => randomInt(0, 2 ** 32) / 2 ** 32,
  uuid: () => randomUUID(),
};
