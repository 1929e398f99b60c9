import { RelayError } from '@ranger-relay/errors';
import type { EncryptedSpace, KeyValue, KvSpace } from '@ranger-relay/kv';

/** A key-value store in memory that can be made to fail. */
export interface MemoryKv extends KeyValue {
  /** Stands in for both, the space of the store and what decrypts it, so that tests see what is kept. */
  readonly config: KvSpace & EncryptedSpace & { readonly entries: Map<string, string> };
  down: boolean;
  /** Calls of `get` so far. */
  gets: number;
}

/** Makes one. Entries do not expire. */
export const memoryKv = (): MemoryKv => {
  const call = async <T>(task: () => T): Promise<T> => {
    await Promise.resolve();
    if (kv.down) throw new RelayError('kv_unavailable', { details: { reason: 'test' } });
    return task();
  };

  const space = (): MemoryKv['config'] => {
    const entries = new Map<string, string>();
    const write = (when: boolean, key: string, value: string): boolean => {
      if (when) entries.set(key, value);
      return when;
    };
    return {
      entries,
      get: (key) => {
        kv.gets += 1;
        return call(() => entries.get(key) ?? null);
      },
      set: (key, value) => call(() => void entries.set(key, value)),
      setIfAbsent: (key, value) => call(() => write(!entries.has(key), key, value)),
      compareAndSet: (key, expected, value) => call(() => write(entries.get(key) === expected, key, value)),
      compareAndDelete: (key, expected) => call(() => entries.get(key) === expected && entries.delete(key)),
      delete: (key) => call(() => entries.delete(key)),
      keys: (prefix) => call(() => [...entries.keys()].filter((key) => key.startsWith(prefix)).sort()),
      list: (prefix) =>
        call(() =>
          [...entries]
            .filter(([key]) => key.startsWith(prefix))
            .map(([key, value]) => ({ key, value }))
            .sort((a, b) => (a.key < b.key ? -1 : 1)),
        ),
    };
  };
  const kv: MemoryKv = {
    down: false,
    gets: 0,
    state: space(),
    config: space(),
    ready: () => !kv.down,
    generation: () => 0,
    close: () => Promise.resolve(),
  };
  return kv;
};
