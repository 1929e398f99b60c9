import { RelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';

/** A state space in memory with expiry by the clock, which can be taken away or emptied. */
export interface MemorySpace extends KvSpace {
  away: boolean;
  readonly entries: Map<string, { value: string; until: number }>;
}

/** Makes an empty space. */
export const memorySpace = (clock: Clock): MemorySpace => {
  const entries = new Map<string, { value: string; until: number }>();
  const live = (key: string): string | null => {
    const entry = entries.get(key);
    return entry && entry.until > clock.now() ? entry.value : null;
  };
  const put = (key: string, value: string, ttlMs = Infinity): void =>
    void entries.set(key, { value, until: clock.now() + ttlMs });
  const call = async <T>(act: () => T): Promise<T> => {
    if (space.away) throw new RelayError('kv_unavailable', { details: { reason: 'taken away' } });
    return act();
  };
  const space: MemorySpace = {
    away: false,
    entries,
    get: (key) => call(() => live(key)),
    set: (key, value, options) => call(() => put(key, value, options?.ttlMs)),
    setIfAbsent: (key, value, options) =>
      call(() => {
        if (live(key) !== null) return false;
        put(key, value, options?.ttlMs);
        return true;
      }),
    compareAndSet: (key, expected, value, options) =>
      call(() => {
        if (live(key) !== expected) return false;
        put(key, value, options?.ttlMs);
        return true;
      }),
    compareAndDelete: (key, expected) => call(() => live(key) === expected && entries.delete(key)),
    delete: (key) => call(() => live(key) !== null && entries.delete(key)),
    list: (prefix) =>
      call(() =>
        [...entries.keys()]
          .filter((key) => key.startsWith(prefix) && live(key) !== null)
          .sort()
          .map((key) => ({ key, value: live(key) as string })),
      ),
  };
  return space;
};
