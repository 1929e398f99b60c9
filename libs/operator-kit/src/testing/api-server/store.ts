import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Failure } from './failure.ts';
import { keyOf, metaOf, without, type Json } from './json.ts';

/** One change, as watches tell it. */
export interface Entry {
  readonly version: number;
  /** Which kind of objects. */
  readonly collection: string;
  /** Undefined for a deletion. */
  readonly after: Json | undefined;
  readonly before: Json | undefined;
}

/** The objects of all kinds, with one count of versions and the history of changes. */
export interface Store {
  version(): number;
  get(collection: string, key: string): Json | undefined;
  all(collection: string): Json[];
  /** Adds an object. @throws Failure AlreadyExists */
  create(collection: string, object: Json): Json;
  /** Writes over an object; one that stays as it is gets no new version. `countsGeneration`: what is wanted of it may have changed. */
  update(collection: string, key: string, object: Json, countsGeneration: boolean): Json;
  remove(collection: string, key: string): Json | undefined;
  /** Changes of a kind after a version; undefined when that is forgotten. */
  since(collection: string, version: number): Entry[] | undefined;
  /** Forgets the history up to now. */
  compact(): void;
  onEntry(listener: (entry: Entry) => void): void;
}

const withoutVersion = (object: Json): Json => ({
  ...object,
  metadata: without(metaOf(object), 'resourceVersion', 'generation'),
});

const specOf = (object: Json): Json => without(object, 'metadata', 'status');

/** Makes an empty store. `now` is what it says about time. */
export const createStore = (now: () => number): Store => {
  const collections = new Map<string, Map<string, Json>>();
  const listeners: ((entry: Entry) => void)[] = [];
  let history: Entry[] = [];
  let forgotten = 0;
  let version = 1;

  const objectsOf = (collection: string): Map<string, Json> => {
    const found = collections.get(collection) ?? new Map<string, Json>();
    collections.set(collection, found);
    return found;
  };

  const commit = (collection: string, before: Json | undefined, after: Json | undefined): void => {
    const entry = { version, collection, before, after };
    history.push(entry);
    for (const listener of listeners) listener(entry);
  };

  const stamped = (object: Json, metadata: Json): Json => {
    version += 1;
    return structuredClone({
      ...object,
      metadata: { ...metaOf(object), ...metadata, resourceVersion: String(version) },
    });
  };

  return {
    version: () => version,
    get: (collection, key) => objectsOf(collection).get(key),
    all: (collection) => [...objectsOf(collection).values()],

    create(collection, object) {
      const key = keyOf(object);
      if (objectsOf(collection).has(key))
        throw new Failure(409, 'AlreadyExists', `${collection} "${key}" already exists`);
      const creationTimestamp = new Date(now()).toISOString().replace(/\.\d+Z/, 'Z');
      const created = stamped(object, { uid: randomUUID(), creationTimestamp, generation: 1 });
      objectsOf(collection).set(key, created);
      commit(collection, undefined, created);
      return created;
    },

    update(collection, key, object, countsGeneration) {
      const before = objectsOf(collection).get(key) as Json;
      if (isDeepStrictEqual(withoutVersion(before), withoutVersion(object))) return before;
      const { uid, creationTimestamp, generation } = metaOf(before);
      const counts = countsGeneration && !isDeepStrictEqual(specOf(before), specOf(object));
      const after = stamped(object, { uid, creationTimestamp, generation: Number(generation) + (counts ? 1 : 0) });
      objectsOf(collection).set(key, after);
      commit(collection, before, after);
      return after;
    },

    remove(collection, key) {
      const before = objectsOf(collection).get(key);
      if (!before) return undefined;
      version += 1;
      objectsOf(collection).delete(key);
      commit(collection, before, undefined);
      return before;
    },

    since: (collection, from) =>
      from < forgotten ? undefined : history.filter((e) => e.collection === collection && e.version > from),
    compact() {
      forgotten = version;
      history = [];
    },
    onEntry: (listener) => void listeners.push(listener),
  };
};
