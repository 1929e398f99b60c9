/** A map of bounded size that forgets what was set longest ago. */
export interface Lru<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): void;
  /** True when there was such an entry. */
  delete(key: K): boolean;
}

/** Keeps at most `limit` entries. */
export const lru = <K, V>(limit: number): Lru<K, V> => {
  const entries = new Map<K, V>();
  return {
    get: (key) => entries.get(key),
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size > limit) entries.delete(entries.keys().next().value as K);
    },
    delete: (key) => entries.delete(key),
  };
};
