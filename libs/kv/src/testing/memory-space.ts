import { RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import type { EncryptedSpace } from '../encryption/encrypted-space.ts';

/** One call, with its key or the start of its keys. */
export interface MemoryCall {
  readonly op: keyof EncryptedSpace;
  readonly key: string;
}

/**
 * A space in memory with expiry by the clock, which can be unavailable, hang, be slow, or lose its answers. It stands in for an encrypted
 * space too, so that tests see what is kept.
 */
export interface MemorySpace extends EncryptedSpace {
  /** Calls reject without being carried out. */
  away: boolean;
  /** Calls reject at their deadline without being carried out. */
  hung: boolean;
  /** Calls reject as after their deadline; the store executes them later, when `arrive` is called. */
  delays: boolean;
  /** Executes the oldest delayed call. */
  arrive(): void;
  /** Calls that are made from now on reject. */
  closed: boolean;
  /** Runs before a call is carried out; the call waits for it, and rejects with what it throws. */
  before: (call: MemoryCall) => void | Promise<void>;
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
  readonly entries: MemoryEntries;
  /** Live keys with their values. */
  values(): Record<string, string>;
}

/** The way between a space in memory and its entries, as the network between a process and its store. */
export type MemoryLink = <T>(call: MemoryCall & { readonly entries: MemoryEntries }, act: () => T) => Promise<T>;

interface MemoryEntry {
  readonly value: string;
  readonly until: number;
}

/** What a key begins with, up to its first dot. */
const headOf = (key: string): string => key.slice(0, key.indexOf('.') + 1);

/** What is stored, by key. */
export class MemoryEntries extends Map<string, MemoryEntry> {
  /** Keys by their heads: a list of a few keys must not walk over a million marks. */
  readonly #heads = new Map<string, Set<string>>();

  override set(key: string, entry: MemoryEntry): this {
    if (!this.has(key)) {
      const head = headOf(key);
      const keys = this.#heads.get(head);
      if (keys) keys.add(key);
      else this.#heads.set(head, new Set([key]));
    }
    return super.set(key, entry);
  }

  override delete(key: string): boolean {
    this.#heads.get(headOf(key))?.delete(key);
    return super.delete(key);
  }

  override clear(): void {
    this.#heads.clear();
    super.clear();
  }

  /** Keys that begin with a prefix. */
  keysWith(prefix: string): string[] {
    const head = headOf(prefix);
    return [...(head === '' ? this.keys() : (this.#heads.get(head) ?? []))].filter((key) => key.startsWith(prefix));
  }
}

/** Deadline of each call, ms. */
const deadlineMs = 2_000;

const unavailable = (reason: string): RelayError => new RelayError('kv_unavailable', { details: { reason } });

/**
 * Makes a space, empty unless it is another client's view of given entries.
 * @param link default: every call is carried out at once
 */
export const memorySpace = (
  clock: Pick<Clock, 'monotonic' | 'sleep' | 'turn'>,
  entries: MemoryEntries = new MemoryEntries(),
  link: MemoryLink = async (_, act) => act(),
): MemorySpace => {
  const counts = new Map<string, number>();
  const delayed: (() => unknown)[] = [];
  let turn: Promise<void> | undefined;
  const live = (key: string): string | null => {
    const entry = entries.get(key);
    return entry && entry.until > clock.monotonic() ? entry.value : null;
  };
  const put = (when: boolean, key: string, value: string, ttlMs = Infinity): boolean => {
    if (when) entries.set(key, { value, until: clock.monotonic() + ttlMs });
    return when;
  };
  const liveWith = (prefix: string): { key: string; value: string }[] =>
    entries
      .keysWith(prefix)
      .sort()
      .flatMap((key) => {
        const value = live(key);
        return value === null ? [] : [{ key, value }];
      });
  const exchange = async (): Promise<void> => {
    space.roundTrips += 1;
    await clock.turn();
    turn = undefined;
  };
  const pause = async (): Promise<void> => {
    const ms = space.latency();
    if (ms > 0) await clock.sleep(ms);
  };
  const call = async <T>(op: MemoryCall['op'], key: string, act: () => T): Promise<T> => {
    counts.set(op, (counts.get(op) ?? 0) + 1);
    if (space.closed) throw unavailable('closed');
    await (space.remote ? (turn ??= exchange()) : undefined);
    await pause();
    if (space.hung) await clock.sleep(deadlineMs);
    if (space.away || space.hung) throw unavailable('taken away');
    if (space.delays) {
      delayed.push(act);
      throw unavailable('no response in time');
    }
    await space.before({ op, key });
    const result = await link({ op, key, entries }, act);
    await pause();
    if (space.losesAnswers) throw unavailable('the answer was lost');
    return result;
  };
  const space: MemorySpace = {
    away: false,
    hung: false,
    delays: false,
    arrive: () => void delayed.shift()?.(),
    closed: false,
    before: () => undefined,
    losesAnswers: false,
    latency: () => 0,
    remote: false,
    roundTrips: 0,
    get calls() {
      return [...counts.values()].reduce((sum, count) => sum + count, 0);
    },
    counts,
    entries,
    values: () => Object.fromEntries(liveWith('').map(({ key, value }) => [key, value])),
    get: (key) => call('get', key, () => live(key)),
    set: (key, value, options) => call('set', key, () => void put(true, key, value, options?.ttlMs)),
    setIfAbsent: (key, value, options) =>
      call('setIfAbsent', key, () => put(live(key) === null, key, value, options?.ttlMs)),
    compareAndSet: (key, expected, value, options) =>
      call('compareAndSet', key, () => put(live(key) === expected, key, value, options?.ttlMs)),
    compareAndDelete: (key, expected) =>
      call('compareAndDelete', key, () => live(key) === expected && entries.delete(key)),
    delete: (key) => call('delete', key, () => live(key) !== null && entries.delete(key)),
    list: (prefix) => call('list', prefix, () => liveWith(prefix)),
    keys: (prefix) => call('keys', prefix, () => liveWith(prefix).map(({ key }) => key)),
  };
  return space;
};
