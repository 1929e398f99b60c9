/** Runs one task per key at a time; callers that arrive meanwhile share its result or its error. */
export interface Singleflight<T> {
  /** @throws the error of `full` when too many keys are in flight */
  run(key: string, task: () => Promise<T>): Promise<T>;
  /** Resolves once the task in flight for the key has ended, successfully or not. */
  ended(key: string): Promise<void>;
}

/** Creates a singleflight of at most `limit` keys. @param full creates the error of a call beyond the limit */
export const createSingleflight = <T>(limit: number, full: () => Error): Singleflight<T> => {
  const inFlight = new Map<string, Promise<T>>();
  return {
    async ended(key) {
      await inFlight.get(key)?.catch(() => undefined);
    },
    run(key, task) {
      const same = inFlight.get(key);
      if (same) return same;
      if (inFlight.size >= limit) return Promise.reject(full());
      const flight = task().finally(() => inFlight.delete(key));
      inFlight.set(key, flight);
      return flight;
    },
  };
};

/** Runs `task` once at a time: calls made while it runs share its result or its error, whatever their arguments. */
export const shareFlight = <A extends readonly unknown[], T>(
  task: (...args: A) => Promise<T>,
): ((...args: A) => Promise<T>) => {
  let flight: Promise<T> | undefined;
  return (...args) => (flight ??= task(...args).finally(() => (flight = undefined)));
};
