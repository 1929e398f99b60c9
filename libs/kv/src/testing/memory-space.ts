import { RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import type { KvSpace } from '../port.ts';

/** A space in memory with expiry by the clock, which can be unavailable, hang, be slow, or lose its answers. */
export interface MemorySpace extends KvSpace {
  /** Calls reject without being carried out. */
  away: boolean;
  /** Calls never end. */
  hung: boolean;
  /** Calls are carried out and then reject. */
  losesAnswers: boolean;
  /** Time before and after a call is carried out, ms; read for every call. */
  latency: () => number;
  /** Answers take a turn of the event loop, and calls of one turn share a round trip. */
  remote: boolean;
  /** Exchanges so far, while it is remote. */
  roundTrips: number;
  /** Calls so far, all together and of each kind. */
  readonly calls: number;
  readonly counts: Map<string, number>;
  /** Stored entries, expired ones included; `until` as the clock's monotonic time. */
  readonly entries: Map<string, { readonly value: string; readonly until: number }>;
  /** Live keys with their values. */
  values(): Record<string, string>;
}

const unavailable = (reason: string): RelayError => new RelayError('kv_unavailable', { details: { reason } });

/** Makes an empty space. */
export const memorySpace = (clock: Pick<Clock, 'monotonic' | 'sleep'>): MemorySpace => {
  const entries: MemorySpace['entries'] = new Map();
  const counts = new Map<string, number>();
  let turn: Promise<void> | undefined;
  const live = (key: string): string | null => {
    const entry = entries.get(key);
    return entry && entry.until > clock.monotonic() ? entry.value : null;
  };
  const put = (when: boolean, key: string, value: string, ttlMs = Infinity): boolean => {
    if (when) entries.set(key, { value, until: clock.monotonic() + ttlMs });
    return when;
  };
  const nextTurn = (): Promise<void> =>
    (turn ??= new Promise((resolve) => {
      space.roundTrips += 1;
      setImmediate(() => {
        turn = undefined;
        resolve();
      });
    }));
  const pause = async (): Promise<void> => {
    const ms = space.latency();
    if (ms > 0) await clock.sleep(ms);
  };
  const call = async <T>(name: string, act: () => T): Promise<T> => {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    await (space.remote ? nextTurn() : undefined);
    await pause();
    if (space.hung) await new Promise(() => undefined);
    if (space.away) throw unavailable('taken away');
    const result = act();
    await pause();
    if (space.losesAnswers) throw unavailable('the answer was lost');
    return result;
  };
  const space: MemorySpace = {
    away: false,
    hung: false,
    losesAnswers: false,
    latency: () => 0,
    remote: false,
    roundTrips: 0,
    get calls() {
      return [...counts.values()].reduce((sum, count) => sum + count, 0);
    },
    counts,
    entries,
    values: () =>
      Object.fromEntries([...entries.keys()].flatMap((key) => (live(key) === null ? [] : [[key, live(key) ?? '']]))),
    get: (key) => call('get', () => live(key)),
    set: (key, value, options) => call('set', () => void put(true, key, value, options?.ttlMs)),
    setIfAbsent: (key, value, options) =>
      call('setIfAbsent', () => put(live(key) === null, key, value, options?.ttlMs)),
    compareAndSet: (key, expected, value, options) =>
      call('compareAndSet', () => put(live(key) === expected, key, value, options?.ttlMs)),
    compareAndDelete: (key, expected) => call('compareAndDelete', () => live(key) === expected && entries.delete(key)),
    delete: (key) => call('delete', () => live(key) !== null && entries.delete(key)),
    list: (prefix) =>
      call('list', () =>
        Object.entries(space.values())
          .filter(([key]) => key.startsWith(prefix))
          .map(([key, value]) => ({ key, value }))
          .sort((a, b) => (a.key < b.key ? -1 : 1)),
      ),
  };
  return space;
};
