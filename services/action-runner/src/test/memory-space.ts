import { RelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';

/** A space in memory with expiry by the clock, which can be taken away. */
export interface MemorySpace extends KvSpace {
  away: boolean;
  /** Live keys with their values. */
  entries(): Readonly<Record<string, string>>;
}

/** Makes an empty space. */
export const memorySpace = (clock: Pick<Clock, 'monotonic'>): MemorySpace => {
  const held = new Map<string, { readonly value: string; readonly until: number }>();
  const live = (key: string): string | null => {
    const entry = held.get(key);
    return entry && entry.until > clock.monotonic() ? entry.value : null;
  };
  const put = (when: boolean, key: string, value: string, ttlMs = Infinity): boolean => {
    if (when) held.set(key, { value, until: clock.monotonic() + ttlMs });
    return when;
  };
  const call = async <T>(act: () => T): Promise<T> => {
    await Promise.resolve();
    if (space.away) throw new RelayError('kv_unavailable', { details: { reason: 'taken away' } });
    return act();
  };
  const entries = () =>
    Object.fromEntries([...held.keys()].flatMap((key) => (live(key) ? [[key, live(key) ?? '']] : [])));
  const space: MemorySpace = {
    away: false,
    entries,
    get: (key) => call(() => live(key)),
    set: (key, value, options) => call(() => void put(true, key, value, options?.ttlMs)),
    setIfAbsent: (key, value, options) => call(() => put(live(key) === null, key, value, options?.ttlMs)),
    compareAndSet: (key, expected, value, options) =>
      call(() => put(live(key) === expected, key, value, options?.ttlMs)),
    compareAndDelete: (key, expected) => call(() => live(key) === expected && held.delete(key)),
    delete: (key) => call(() => live(key) !== null && held.delete(key)),
    list: (prefix) =>
      call(() =>
        Object.entries(entries())
          .filter(([key]) => key.startsWith(prefix))
          .map(([key, value]) => ({ key, value })),
      ),
  };
  return space;
};
