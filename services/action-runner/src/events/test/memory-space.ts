import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import type { Life } from './life.ts';

/** What a store holds, by key; it outlives its processes. */
export type Held = Map<string, { readonly value: string; readonly until: number }>;

/** A space over what a store holds, as one process sees it. */
export const spaceOver = (held: Held, clock: Clock, life: Life): KvSpace => {
  const live = (key: string): string | null => {
    const entry = held.get(key);
    return entry && entry.until > clock.now() ? entry.value : null;
  };
  const put = (when: boolean, key: string, value: string, ttlMs = Infinity): boolean => {
    if (when) held.set(key, { value, until: clock.now() + ttlMs });
    return when;
  };
  return {
    get: (key) => life.exchange(() => live(key)),
    set: (key, value, options) => life.exchange(() => void put(true, key, value, options?.ttlMs)),
    setIfAbsent: (key, value, options) => life.exchange(() => put(live(key) === null, key, value, options?.ttlMs)),
    compareAndSet: (key, expected, value, options) =>
      life.exchange(() => put(live(key) === expected, key, value, options?.ttlMs)),
    compareAndDelete: (key, expected) => life.exchange(() => live(key) === expected && held.delete(key)),
    delete: (key) => life.exchange(() => held.delete(key)),
    list: () => Promise.resolve([]),
  };
};
