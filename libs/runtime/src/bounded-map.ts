/** A map that drops the least recently used entry when it is full. */
export interface BoundedMap<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  /** Returns true when the entry existed. */
  delete(key: string): boolean;
  /** Keys, least recently used first. */
  keys(): readonly string[];
  readonly size: number;
}

/** Creates a map of at most `limit` entries. */
export const createBoundedMap = <V>(limit: number): BoundedMap<V> => {
  const entries = new Map<string, V>();
  const put = (key: string, value: V): void => {
    entries.delete(key);
    entries.set(key, value);
  };
  return {
    get(key) {
      const value = entries.get(key);
      if (value !== undefined) put(key, value);
      return value;
    },
    set(key, value) {
      put(key, value);
      if (entries.size <= limit) return;
      const [oldest] = entries.keys();
      if (oldest !== undefined) entries.delete(oldest);
    },
    delete: (key) => entries.delete(key),
    keys: () => [...entries.keys()],
    get size() {
      return entries.size;
    },
  };
};
