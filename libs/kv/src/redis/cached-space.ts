import { BoundedMap, type Clock } from '@ranger-relay/runtime';
import type { KvSpace } from '../port.ts';
import type { Calls } from './calls.ts';

/** What was read, until the server says that it has changed. */
interface ReadCache {
  /** The value read before, null when there was none; undefined when it has to be asked for. */
  get(key: string): string | null | undefined;
  /** Before asking: the result stores the answer, unless the key changes until then. */
  asking(key: string): (value: string | null, ttlMs?: number) => void;
  /** Forgets one key, or all of them. */
  forget(key: string | null): void;
}

/** Most entries, the longest value in characters, and how long an entry is believed without a word of the server, ms. */
const maxEntries = 1_000;
const maxLength = 65_536;
const maxAgeMs = 60_000;

/** Makes the cache. The one read longest ago leaves first. An entry that expires is forgotten in time. */
export const createReadCache = (clock: Clock): ReadCache => {
  const entries = new BoundedMap<{ readonly value: string | null; readonly until: number }>(maxEntries);
  /** Keys that are being asked for; one that is forgotten meanwhile is not stored. */
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

/** What answers from the cache, and what goes past it. */
interface CachedSpaceOptions {
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
