import { type Key, keyOf, type KubeObject } from '../api/object.ts';
import type { WatchEvent } from './event.ts';

const isCount = (version: string): boolean => /^[1-9]\d{0,30}$/.test(version);

/** True when both versions are counts of one API server and the first is the later one; undefined when they cannot be compared. */
export const isNewer = (version: string, than: string): boolean | undefined => {
  if (!isCount(version) || !isCount(than)) return undefined;
  return version.length === than.length ? version > than : version.length > than.length;
};

/** What became of one object. */
export interface Change<T extends KubeObject = KubeObject> {
  readonly key: Key;
  /** As it is now; undefined when it is gone. */
  readonly object: T | undefined;
  /** As it was; undefined when it is new. */
  readonly previous: T | undefined;
}

/** The copy of what is watched, as it can be read. */
export interface ReadableCache<T extends KubeObject = KubeObject> {
  get(key: Key): T | undefined;
  keys(): Key[];
  values(): T[];
  readonly size: number;
}

/** The copy of what is watched, at one version. */
export interface Cache extends ReadableCache {
  /** Up to where changes are in it; empty before the first list. */
  version(): string;
  /** Takes a whole list. Only real changes are returned: what has the same version is the same. */
  replace(items: readonly KubeObject[], version: string): Change[];
  /** Takes one event; undefined when it changed nothing, or tells what is known already. */
  apply(event: WatchEvent): Change | undefined;
}

const isSame = (a: KubeObject | undefined, b: KubeObject | undefined): boolean =>
  a?.metadata.uid === b?.metadata.uid && a?.metadata.resourceVersion === b?.metadata.resourceVersion;

/** Who owns which field is a third of most objects, and nobody reads it here. */
const slim = (object: KubeObject): KubeObject => {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
};

/** Makes an empty cache. */
export const createCache = (): Cache => {
  let objects = new Map<Key, KubeObject>();
  let version = '';

  const put = (key: Key, object: KubeObject): Change | undefined => {
    const previous = objects.get(key);
    if (isSame(previous, object)) return undefined;
    objects.set(key, object);
    return { key, object, previous };
  };

  const take = (key: Key): Change | undefined => {
    const previous = objects.get(key);
    objects.delete(key);
    return previous && { key, object: undefined, previous };
  };

  return {
    get: (key) => objects.get(key),
    keys: () => [...objects.keys()],
    values: () => [...objects.values()],
    get size() {
      return objects.size;
    },
    version: () => version,

    replace(items, listed) {
      const before = objects;
      objects = new Map(items.map((item) => [keyOf(item.metadata), slim(item)]));
      version = listed;
      const gone = [...before].filter(([key]) => !objects.has(key));
      const present = [...objects].map(([key, object]) => ({ key, object, previous: before.get(key) }));
      return [
        ...gone.map(([key, previous]) => ({ key, object: undefined, previous })),
        ...present.filter(({ object, previous }) => !previous || !isSame(object, previous)),
      ];
    },

    apply(event) {
      if (event.type === 'other') return undefined;
      const at = event.type === 'bookmark' ? event.version : (event.object.metadata.resourceVersion ?? '');
      // A watch tells changes in their order, so what is not newer was told before.
      if (isNewer(at, version) === false) return undefined;
      version = at;
      if (event.type === 'bookmark') return undefined;
      const key = keyOf(event.object.metadata);
      return event.type === 'deleted' ? take(key) : put(key, slim(event.object));
    },
  };
};
