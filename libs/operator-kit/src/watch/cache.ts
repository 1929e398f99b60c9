import { type Key, keyOf, type KubeObject } from '../api/object.ts';
import type { WatchEvent } from './event.ts';

const isCount = (version: string): boolean => /^[1-9]\d{0,30}$/.test(version);

/** True when the first version is later; undefined when the versions are not numbers and cannot be compared. */
export const isNewer = (version: string, than: string): boolean | undefined => {
  if (!isCount(version) || !isCount(than)) return undefined;
  return version.length === than.length ? version > than : version.length > than.length;
};

/** A change of one object. */
export interface Change<T extends KubeObject = KubeObject> {
  readonly key: Key;
  /** The object after the change; undefined when it was deleted. */
  readonly object: T | undefined;
  /** The object before the change; undefined when it is new. */
  readonly previous: T | undefined;
}

/** The readable copy of the watched objects. */
export interface ReadableCache<T extends KubeObject = KubeObject> {
  get(key: Key): T | undefined;
  keys(): Key[];
  values(): T[];
  readonly size: number;
}

/** The copy of the watched objects at one version. */
export interface Cache extends ReadableCache {
  /** The version up to which changes are applied; empty before the first list. */
  version(): string;
  /** Replaces the content by a list and returns the changes; objects with an equal version are unchanged. */
  replace(items: readonly KubeObject[], version: string): Change[];
  /** Applies one event; undefined when it changes nothing or is already applied. */
  apply(event: WatchEvent): Change | undefined;
}

const isSame = (a: KubeObject | undefined, b: KubeObject | undefined): boolean =>
  a?.metadata.uid === b?.metadata.uid && a?.metadata.resourceVersion === b?.metadata.resourceVersion;

/** Drops the managed fields: they are a third of most objects, and no controller reads them. */
const slim = (object: KubeObject): KubeObject => {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
};

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
      // A watch reports changes in order, so an event that is not newer was applied before.
      if (isNewer(at, version) === false) return undefined;
      version = at;
      if (event.type === 'bookmark') return undefined;
      const key = keyOf(event.object.metadata);
      return event.type === 'deleted' ? take(key) : put(key, slim(event.object));
    },
  };
};
