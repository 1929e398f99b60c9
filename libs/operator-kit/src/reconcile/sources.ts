import { keyOf, type Key, type KubeObject } from '../api/object.ts';
import { ownerOf, type Resource } from '../api/resource.ts';
import type { Change } from '../watch/cache.ts';
import type { Informer } from '../watch/informer.ts';

/** Objects whose changes trigger a controller. */
export interface Source {
  whenSynced(): Promise<void>;
  /** Adds the keys for all present objects, and then for each change. Returns a function that stops it. */
  follow(add: (key: Key) => void): () => void;
}

/** The members of an informer that a source uses. */
type Followed<T extends KubeObject> = Pick<Informer<T>, 'cache' | 'onChange' | 'whenSynced'>;

const sourceOf = <T extends KubeObject>(
  informer: Followed<T>,
  keysOf: (change: Change<T>) => readonly Key[],
): Source => ({
  whenSynced: () => informer.whenSynced(),
  follow(add) {
    const { cache } = informer;
    const take = (change: Change<T>): void => keysOf(change).forEach(add);
    const stop = informer.onChange(take);
    for (const key of cache.keys()) take({ key, object: cache.get(key), previous: undefined });
    return stop;
  },
});

/** Triggers by changes of the objects themselves. */
export const objectsOf = <T extends KubeObject>(informer: Followed<T>): Source =>
  sourceOf(informer, ({ key }) => [key]);

/** Triggers by changes of related objects: `namesOf` returns the affected keys, for the object before and after the change. */
export const relatedTo = <T extends KubeObject>(
  informer: Followed<T>,
  namesOf: (object: T) => readonly Key[],
): Source =>
  sourceOf(informer, ({ object, previous }) => [
    ...new Set([object, previous].flatMap((each) => (each ? namesOf(each) : []))),
  ]);

/** Triggers the owner of a kind by changes of its dependents, before and after the change. */
export const ownedBy = <T extends KubeObject>(owner: Resource, informer: Followed<T>): Source =>
  relatedTo(informer, (object) => {
    const ref = ownerOf(owner, object);
    return ref ? [keyOf(ref)] : [];
  });
