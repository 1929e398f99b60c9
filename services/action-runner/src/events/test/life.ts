/** How a process lives: it can be killed at any exchange with another one, just before or just after that took effect. */
export interface Life {
  /** One exchange. Once the process is dead nothing of it takes effect and nothing answers. */
  exchange<T>(effect: () => T | Promise<T>): Promise<T>;
  /** Resolves when it was killed. */
  readonly died: Promise<'killed'>;
  readonly dead: boolean;
}

const never = (): Promise<never> => new Promise(() => undefined);

/** A process that is killed at its exchange number `at` (from 0), or never; `after` says that the exchange takes effect before. */
export const createLife = (at = Infinity, after = false): Life => {
  let made = 0;
  let dead = false;
  const { promise: died, resolve: tell } = Promise.withResolvers<'killed'>();
  return {
    died,
    get dead() {
      return dead;
    },
    async exchange(effect) {
      await Promise.resolve();
      if (dead) return never();
      const last = made === at;
      made += 1;
      if (last && !after) {
        dead = true;
        tell('killed');
        return never();
      }
      const result = await effect();
      if (!last) return result;
      dead = true;
      tell('killed');
      return never();
    },
  };
};
