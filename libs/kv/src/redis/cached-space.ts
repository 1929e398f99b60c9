import { BoundedMap, type Clock } from '@ranger-relay/runtime';
import type { KvSpace } from '../port.ts';
import type { Calls } from './calls.ts';

/** Cache of read values, which the server invalidates (client-side caching). */
interface ReadCache {
  /** The cached value, null for an absent entry; undefined when it is not cached. */
  get(key: string): string | null | undefined;
  /** Called before a read. The returned function caches the value, unless the key was invalidated meanwhile. */
  asking(key: string): (value: string | null, ttlMs?: number) => void;
  /** Invalidates one key, or all of them. */
  forget(key: string | null): void;
}

/** Maximum number of entries, length of a value in characters, and age of an entry, ms. */
const maxEntries = 1_000;
const maxLength = 65_536;
const maxAgeMs = 60_000;

/** Creates the cache. It evicts the least recently read entry, and entries whose TTL has passed. */
export const createReadCache = (clock: Clock): ReadCache => {
  const entries = new BoundedMap<{ readonly value: string | null; readonly until: number }>(maxEntries);
  /** Keys of reads in flight; a read whose key is invalidated meanwhile is not cached. */
  const asked = new Map<string, object>();

  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry || entry.until > clock.monotonic()) return entry?.value;
      entries.delete(key);
      return undefined;
    },
    asking(key) {
      const token = {};
      const since = clock.monotonic();
      asked.set(key, token);
      return (value, ttlMs = maxAgeMs) => {
        if (asked.get(key) !== token) return;
        asked.delete(key);
        if (value !== null && value.length > maxLength) return;
        entries.set(key, { value, until: since + Math.min(ttlMs, maxAgeMs) });
      };
    },
    forget(key) {
      if (key === null) {
        entries.clear();
        asked.clear();
        return;
      }
      entries.delete(key);
      asked.delete(key);
    },
  };
};

interface CachedSpaceOptions {
  readonly space: KvSpace;
  readonly calls: Calls;
  readonly cache: ReadCache;
  /** Whether the server can send invalidations. */
  readonly hears: () => boolean;
}

const ttlIn = (left: number): number | undefined => (left === -1 ? undefined : Math.max(0, left));

/**
 * A space that answers repeated reads from the cache. A write invalidates its key before it is sent, so that later reads see it; the server
 * invalidates keys that other clients write.
 */
export const createCachedSpace = ({ space, calls, cache, hears }: CachedSpaceOptions): KvSpace => {
  const ask = async (key: string): Promise<string | null> => {
    const store = cache.asking(key);
    const [value, left] = await Promise.all([calls.run(['GET', key]), calls.run(['PTTL', key])]);
    // An absent entry has no TTL (PTTL -2); it stays cached until the server invalidates it.
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
