import { unavailable } from './classify.ts';

/** Lets one task per key run at a time; whoever asks meanwhile gets the same result. */
export interface Flights<T> {
  /** @throws RelayError `platform_unavailable` when too many keys are under way */
  run(key: string, task: () => Promise<T>): Promise<T>;
  /** Resolves once what is under way under the key has ended, however. */
  ended(key: string): Promise<void>;
}

/** Makes flights of at most `limit` keys at a time. */
export const createFlights = <T>(limit = 200): Flights<T> => {
  const running = new Map<string, Promise<T>>();
  return {
    async ended(key) {
      await running.get(key)?.catch(() => undefined);
    },
    run(key, task) {
      const same = running.get(key);
      if (same) return same;
      if (running.size >= limit) return Promise.reject(unavailable(`${limit} calls are under way`));
      const flight = task().finally(() => running.delete(key));
      running.set(key, flight);
      return flight;
    },
  };
};
