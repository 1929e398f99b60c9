import { hash } from 'node:crypto';

/** A named space of keys: `state` is database 0, `config` database 1. */
export type KvSpaceName = 'state' | 'config';

/** Options of a write. Without `ttlMs` the entry stays. */
export interface SetOptions {
  readonly ttlMs?: number;
}

/**
 * One space of the key-value store. Values are texts. Calls issued in the same turn of the event loop travel
 * together (one transaction, one round trip). Every call has a deadline; a call that cannot be carried out
 * rejects with RelayError `kv_unavailable`, and the store's loss never loses data.
 */
export interface KvSpace {
  /** The value, or null when there is none or it has expired. */
  get(key: string): Promise<string | null>;
  set(key: string, value: string, options?: SetOptions): Promise<void>;
  /** Writes only when there is no live value; true when it wrote. */
  setIfAbsent(key: string, value: string, options?: SetOptions): Promise<boolean>;
  /** Writes only when the live value equals `expected`; true when it wrote. The TTL is that of this call. */
  compareAndSet(key: string, expected: string, value: string, options?: SetOptions): Promise<boolean>;
  /** Deletes only when the live value equals `expected`; true when it deleted. */
  compareAndDelete(key: string, expected: string): Promise<boolean>;
  /** True when there was a live value. */
  delete(key: string): Promise<boolean>;
  /** Live entries whose key starts with `prefix`, sorted by key. For people and start-up, not for hot paths. */
  list(prefix: string): Promise<readonly { key: string; value: string }[]>;
}

/** What a server behind the store says of itself. */
export interface StoreServer {
  /** Its clock, ms since 1970. */
  readonly now: number;
  /** Most bytes that it keeps; 0 for no bound. */
  readonly maxMemoryBytes: number;
  /** What goes when that is not enough, such as `noeviction`. Empty when the server does not tell. */
  readonly evictionPolicy: string;
}

/** The key-value store. Adapters must pass the contract suite. */
export interface KeyValue {
  readonly state: KvSpace;
  readonly config: KvSpace;
  /** False while calls are expected to fail. */
  ready(): boolean;
  /**
   * Another number whenever writes of the state that were acknowledged may be gone: another server has taken over, or it has started anew. An
   * absent entry that was read before and after with the same number was absent.
   */
  generation(): number;
  /** Asks the server behind it; a store without one has none to ask. @throws RelayError `kv_unavailable` */
  readonly server?: () => Promise<StoreServer>;
  close(): Promise<void>;
}

/** Longest part that is written out; longer ones are hashed. */
const maxPartLength = 200;

/** What separates parts, marks an escape, or is not the same text in every store. */
const unsafe = /[%.\p{Cc}\p{Cs}]/gu;

const escaped = (sign: string): string => `%${sign.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`;

const partOf = (text: string): string => {
  const safe = text.replaceAll(unsafe, escaped);
  // No escape begins with an "s", so a hash never meets a part that is written out.
  return safe.length > maxPartLength ? `%sha256-${hash('sha256', safe)}` : safe;
};

/**
 * The key of an entry: `name.part.part`. Every id from outside is a part of its own, beside whom it belongs to (platform contract, state and
 * cache keys). Different parts never make the same key, whatever is in them.
 */
export const storeKey = (name: string, ...parts: readonly string[]): string => [name, ...parts.map(partOf)].join('.');
