/**
 * A map of at most `limit` entries that drops the least recently used one. Iterates from the least to the most recently used; only `get` and
 * `set` use an entry. Not lru-cache, which allocates all entries at once: 2.8 KB for a map of 50, of which there is one for each integration.
 */
export class BoundedMap<V> extends Map<string, V> {
  readonly #limit: number;

  constructor(limit: number) {
    super();
    this.#limit = limit;
  }

  override get(key: string): V | undefined {
    const value = super.get(key);
    if (value !== undefined && this.delete(key)) super.set(key, value);
    return value;
  }

  override set(key: string, value: V): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#limit) this.delete(this.keys().next().value as string);
    return this;
  }
}
