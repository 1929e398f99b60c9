import { hash } from 'node:crypto';
import { isRelayError } from '@ranger-relay/errors';

/** A named space of keys: `state` is database 0, `config` database 1. */
export type KvSpaceName = 'state' | 'config';

/** Options of a write. Without `ttlMs` the entry does not expire. */
export interface SetOptions {
  readonly ttlMs?: number;
}

/**
 * One space of the key-value store, with texts as values. Calls of one turn of the event loop share one transaction or round trip. Every call
 * has a deadline, and rejects with RelayError `kv_unavailable` when the store cannot execute it. The loss of the store loses no data.
 */
export interface KvSpace {
  /** The value, or null when there is none or it has expired. */
  get(key: string): Promise<string | null>;
  set(key: string, value: string, options?: SetOptions): Promise<void>;
  /** Writes only when there is no live value; true when it wrote. */
  setIfAbsent(key: string, value: string, options?: SetOptions): Promise<boolean>;
  /** Writes only when the live value equals `expected`; true when it wrote. Sets the TTL of this call. */
  compareAndSet(key: string, expected: string, value: string, options?: SetOptions): Promise<boolean>;
  /** Deletes only when the live value equals `expected`; true when it deleted. */
  compareAndDelete(key: string, expected: string): Promise<boolean>;
  /** True when there was a live value. */
  delete(key: string): Promise<boolean>;
  /** Live entries whose key starts with `prefix`, sorted by key. For diagnosis and start-up, not for hot paths. */
  list(prefix: string): Promise<readonly { key: string; value: string }[]>;
}

/** Facts about the server of the store. */
export interface StoreServer {
  /** Its clock, ms since 1970. */
  readonly now: number;
  /** Its memory limit; 0 for none. */
  readonly maxMemoryBytes: number;
  /** What it does at the limit, for example `noeviction`. Empty when unknown. */
  readonly evictionPolicy: string;
  /** Whether it logs each write to its disk (`appendonly`); null when unknown. */
  readonly appendOnly: boolean | null;
}

/** The key-value store. Adapters must pass the contract suite. */
export interface KeyValue {
  readonly state: KvSpace;
  readonly config: KvSpace;
  /**
   * For a few small values that must be stored on a full disk too. Where the store is a server, it is `state`, so keys differ from those
   * there.
   */
  readonly reserved: KvSpace;
  /** False while calls are expected to fail. */
  ready(): boolean;
  /**
   * Changes whenever acknowledged writes of `state` may be lost: after a fail-over or a restart. An entry that a read does not find was absent,
   * if the number is the same before and after the read.
   */
  generation(): number;
  /** Asks the server; undefined for a store without one. @throws RelayError `kv_unavailable` */
  readonly server?: () => Promise<StoreServer>;
  close(): Promise<void>;
}

/** Resolves to undefined when the store is unavailable, for what goes on without it; other errors reject. */
export const unlessUnavailable = async <T>(call: Promise<T>): Promise<T | undefined> => {
  try {
    return await call;
  } catch (error) {
    if (!isRelayError(error, 'kv_unavailable')) throw error;
    return undefined;
  }
};

/** Longest part that is written unchanged; longer ones are hashed. */
const maxPartLength = 200;

/** Characters that separate parts, start an escape, or differ between stores. */
const unsafe = /[%.\p{Cc}\p{Cs}]/gu;

const escaped = (sign: string): string => `%${sign.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`;

const partOf = (text: string): string => {
  const safe = text.replaceAll(unsafe, escaped);
  // No escape begins with an "s", so a hash never equals an unchanged part.
  return safe.length > maxPartLength ? `%sha256-${hash('sha256', safe)}` : safe;
};

/**
 * Builds the key of an entry: `name.part.part`. Every external id is a part of its own, as is its owner (platform contract, state and cache
 * keys). Different parts never yield the same key.
 */
export const storeKey = (name: string, ...parts: readonly string[]): string => [name, ...parts.map(partOf)].join('.');

const hourMs = 3_600_000;

/** True for the first call with these parts within an hour, across all processes. @throws RelayError `kv_unavailable` */
export const oncePerHour = (space: Pick<KvSpace, 'setIfAbsent'>, ...parts: readonly string[]): Promise<boolean> =>
  space.setIfAbsent(storeKey('hourly', ...parts), 'told', { ttlMs: hourMs });
