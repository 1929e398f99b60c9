import { RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import type { KvSpace } from '../port.ts';

/** A space in memory with expiry by the clock, which can be taken away or made to hang. */
export interface MemorySpace extends KvSpace {
  /** Calls reject without being carried out. */
  away: boolean;
  /** Calls never end. */
  hung: boolean;
  /** Answers take a turn of the event loop, and calls of one turn share a round trip. */
  remote: boolean;
  /** Exchanges so far, while it is remote. */
  roundTrips: number;
  /** Calls so far. */
  calls: number;
  /** Live keys with their values. */
  entries(): Record<string, string>;
}

/** Makes an empty space. */
export const memorySpace = (clock: Pick<Clock, 'monotonic'>): MemorySpace => {
  const held = new Map<string, { value: string; until: number }>();
  let turn: Promise<void> | undefined;
  const live = (key: string): string | null => {
    const entry = held.get(key);
    return entry && entry.until > clock.monotonic() ? entry.value : null;
  };
  const put = (when: boolean, key: string, value: string, ttlMs = Infinity): boolean => {
    if (when) held.set(key, { value, until: clock.monotonic() + ttlMs });
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
  const call = async <T>(act: () => T): Promise<T> => {
    space.calls += 1;
    await (space.remote ? nextTurn() : undefined);
    if (space.hung) await new Promise(() => undefined);
    if (space.away) throw new RelayError('kv_unavailable', { details: { reason: 'taken away' } });
    return act();
  };
  const space: MemorySpace = {
    away: false,
    hung: false,
    remote: false,
    roundTrips: 0,
    calls: 0,
    entries: () => Object.fromEntries([...held.keys()].flatMap((key) => (live(key) ? [[key, live(key) ?? '']] : []))),
    get: (key) => call(() => live(key)),
    set: (key, value, options) => call(() => void put(true, key, value, options?.ttlMs)),
    setIfAbsent: (key, value, options) => call(() => put(live(key) === null, key, value, options?.ttlMs)),
    compareAndSet: (key, expected, value, options) =>
      call(() => put(live(key) === expected, key, value, options?.ttlMs)),
    compareAndDelete: (key, expected) => call(() => live(key) === expected && held.delete(key)),
    delete: (key) => call(() => live(key) !== null && held.delete(key)),
    list: (prefix) =>
      call(() =>
        Object.entries(space.entries())
          .filter(([key]) => key.startsWith(prefix))
          .map(([key, value]) => ({ key, value })),
      ),
  };
  return space;
};
