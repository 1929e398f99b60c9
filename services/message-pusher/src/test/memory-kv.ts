import { RelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';

/** A state space in memory with expiry by the clock, which can be taken away, emptied, slowed, or lose its answers. */
export interface MemorySpace extends KvSpace {
  away: boolean;
  /** Calls are carried out and then fail. */
  losesAnswers: boolean;
  /** Time before and after a call is carried out, ms; read for every call. */
  latency: () => number;
  readonly entries: Map<string, { value: string; until: number }>;
  /** Calls of each kind so far. */
  readonly counts: Map<string, number>;
}

const unavailable = (): RelayError => new RelayError('kv_unavailable', { details: { reason: 'told to fail' } });

/** Makes an empty space. */
export const memorySpace = (clock: Clock): MemorySpace => {
  const entries: MemorySpace['entries'] = new Map();
  const counts = new Map<string, number>();
  const live = (key: string): string | null => {
    const entry = entries.get(key);
    return entry && entry.until > clock.now() ? entry.value : null;
  };
  const put = (key: string, value: string, ttlMs = Infinity): true => {
    entries.set(key, { value, until: clock.now() + ttlMs });
    return true;
  };
  const pause = async (): Promise<void> => {
    const ms = space.latency();
    if (ms > 0) await clock.sleep(ms);
  };
  const call = async <T>(name: string, act: () => T): Promise<T> => {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    await pause();
    if (space.away) throw unavailable();
    const result = act();
    await pause();
    if (space.losesAnswers) throw unavailable();
    return result;
  };
  const space: MemorySpace = {
    away: false,
    losesAnswers: false,
    latency: () => 0,
    entries,
    counts,
    get: (key) => call('get', () => live(key)),
    set: (key, value, options) => call('set', () => void put(key, value, options?.ttlMs)),
    setIfAbsent: (key, value, options) =>
      call('setIfAbsent', () => live(key) === null && put(key, value, options?.ttlMs)),
    compareAndSet: (key, expected, value, options) =>
      call('compareAndSet', () => live(key) === expected && put(key, value, options?.ttlMs)),
    compareAndDelete: (key, expected) => call('compareAndDelete', () => live(key) === expected && entries.delete(key)),
    delete: (key) => call('delete', () => live(key) !== null && entries.delete(key)),
    list: (prefix) =>
      call('list', () =>
        [...entries.keys()]
          .filter((key) => key.startsWith(prefix) && live(key) !== null)
          .sort()
          .map((key) => ({ key, value: live(key) as string })),
      ),
  };
  return space;
};
