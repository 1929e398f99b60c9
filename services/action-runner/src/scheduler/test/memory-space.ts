import { RelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';

/** A space in memory that several processes of a test share, with expiry by the clock. */
export interface SharedSpace {
  down: boolean;
  readonly values: () => Readonly<Record<string, string>>;
  readonly space: KvSpace;
}

/** Makes an empty space. */
export const sharedSpace = (clock: Clock): SharedSpace => {
  const held = new Map<string, { value: string; until: number }>();
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
    if (shared.down) throw new RelayError('kv_unavailable', { details: { reason: 'test' } });
    return act();
  };
  const values = () =>
    Object.fromEntries([...held.keys()].flatMap((key) => (live(key) ? [[key, live(key) ?? '']] : [])));
  const shared: SharedSpace = {
    down: false,
    values,
    space: {
      get: (key) => call(() => live(key)),
      set: (key, value, options) => call(() => void put(true, key, value, options?.ttlMs)),
      setIfAbsent: (key, value, options) => call(() => put(live(key) === null, key, value, options?.ttlMs)),
      compareAndSet: (key, expected, value, options) =>
        call(() => put(live(key) === expected, key, value, options?.ttlMs)),
      compareAndDelete: (key, expected) => call(() => live(key) === expected && held.delete(key)),
      delete: (key) => call(() => live(key) !== null && held.delete(key)),
      list: () => call(() => []),
    },
  };
  return shared;
};
