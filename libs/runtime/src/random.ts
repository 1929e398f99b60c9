import { randomInt, randomUUID } from 'node:crypto';

/** Chance as a parameter: tests hand in a seeded one. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** A random UUID. */
  uuid(): string;
}

/** The system's source of chance. */
export const systemRandom: Random = {
  next: () => randomInt(0, 2 ** 32) / 2 ** 32,
  uuid: () => randomUUID(),
};
