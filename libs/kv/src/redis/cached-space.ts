import type { KvSpace } from '../port.ts';
import type { ReadCache } from './cache.ts';
import type { Calls } from './calls.ts';

/** What answers from the cache, and what goes past it. */
export interface CachedSpaceOptions {
  readonly space: KvSpace;
  readonly calls: Calls;
  readonly cache: ReadCache;
  /** Whether the server would say that something changed. */
  readonly hears: () => boolean;
}

const ttlIn = (left: number): number | undefined => (left === -1 ? undefined : Math.max(0, left));

/**
 * A space whose repeated reads need no server. What this process writes is forgotten before it leaves, so that reads behind
 * a write see it; what others write, the server says.
 */
export const createCachedSpace = ({ space, calls, cache, hears }: CachedSpaceOptions): KvSpace => {
  const ask = async (key: string): Promise<string | null> => {
    const store = cache.asking(key);
    const [value, left] = await Promise.all([calls.run(['GET', key]), calls.run(['PTTL', key])]);
    // Without a value there is no time left (-2); that it is missing holds until the server says otherwise.
    store(value as string | null, value === null ? undefined : ttlIn(left as number));
    return value as string | null;
  };

  const get = async (given: string): Promise<string | null> => {
    const key = given.toWellFormed();
    const known = hears() ? cache.get(key) : undefined;
    return known === undefined ? ask(key) : known;
  };

  const forgetting =
    <Args extends readonly unknown[], T>(write: (key: string, ...args: Args) => Promise<T>) =>
    (key: string, ...args: Args): Promise<T> => {
      cache.forget(key.toWellFormed());
      return write(key, ...args);
    };

  return {
    get,
    set: forgetting(space.set),
    setIfAbsent: forgetting(space.setIfAbsent),
    compareAndSet: forgetting(space.compareAndSet),
    compareAndDelete: forgetting(space.compareAndDelete),
    delete: forgetting(space.delete),
    list: space.list,
  };
};
