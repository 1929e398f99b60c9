/** Lets at most so many tasks run at a time; the others wait in their order. */
export interface Gate {
  run<T>(task: () => T | Promise<T>): Promise<T>;
}

/** Makes a gate of `limit` places. */
export const createGate = (limit: number): Gate => {
  const waiting: (() => void)[] = [];
  let free = limit;

  const enter = (): Promise<void> | undefined => {
    if (free > 0) {
      free -= 1;
      return undefined;
    }
    return new Promise((resolve) => waiting.push(resolve));
  };

  /** A place goes straight to the next in line, so that nobody overtakes. */
  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };

  return {
    async run(task) {
      await enter();
      try {
        return await task();
      } finally {
        leave();
      }
    },
  };
};
