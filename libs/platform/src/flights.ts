import { unavailable } from './classify.ts';

/** Lets one task per key run at a time; whoever asks meanwhile gets the same result. */
export interface Flights<T> {
  /** @throws RelayError `platform_unavailable` when too many keys are under way */
  run(key: string, task: () => Promise<T>): Promise<T>;
}

/** Makes flights of at most `limit` keys at a time. */
export const createFlights = <T>(limit = 200): Flights<T> => {
  const running = new Map<string, Promise<T>>();
  return {
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
